/**
 * Rights by roles and bindings, as Kubernetes' RBAC grants them.
 *
 * <p>Rules and the book of all roles are pure; {@link dev.regroup.server.rbac.StoredRoles} keeps
 * the book equal to the store. Nothing here answers requests: the pipeline asks through the ports
 * of {@code server.access}. Start reading at {@link dev.regroup.server.rbac.RbacAuthorizer}.
 */
@NullMarked
package dev.regroup.server.rbac;

import org.jspecify.annotations.NullMarked;
