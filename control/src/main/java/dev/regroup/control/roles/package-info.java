/**
 * Cluster roles that are made of others: their rules are those of all roles their selectors choose.
 *
 * <p>Nothing here decides what a rule allows. Start reading at {@link
 * dev.regroup.control.roles.RoleAggregation}.
 */
@NullMarked
package dev.regroup.control.roles;

import org.jspecify.annotations.NullMarked;
