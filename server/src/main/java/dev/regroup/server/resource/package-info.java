/**
 * The resources this server has: what they are, as data, and how each behaves.
 *
 * <p>Routing, discovery, OpenAPI and the pipeline read one list, {@link
 * dev.regroup.server.resource.Catalog}; a kind is added by adding an entry. What an entry says
 * beside names, verbs and columns is a trait, or a {@link dev.regroup.server.resource.KindStrategy}
 * where it takes more than yes or no. Nothing here touches the store. Start reading at {@link
 * dev.regroup.server.resource.Catalog}.
 */
@NullMarked
package dev.regroup.server.resource;

import org.jspecify.annotations.NullMarked;
