/**
 * The resources this server has, as data: names, scope, verbs, subresources, traits, columns.
 *
 * <p>Routing, discovery, OpenAPI and the pipeline read this one list; a kind is added by adding an
 * entry. Nothing here acts. Start reading at {@link dev.regroup.server.resource.Catalog}.
 */
@NullMarked
package dev.regroup.server.resource;

import org.jspecify.annotations.NullMarked;
