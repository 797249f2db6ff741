/**
 * Objects and what is done with them: read, list, watch, create, update, patch, delete.
 *
 * <p>The store keeps an object as the JSON that clients get, with its resource version at a fixed
 * place, so reading and watching is splicing bytes. A write decodes, asks admission and encodes
 * once. Nothing here knows who asks or how a request travelled. Start reading at {@link
 * dev.regroup.server.objects.ObjectStore}, then {@code Writer}.
 */
@NullMarked
package dev.regroup.server.objects;

import org.jspecify.annotations.NullMarked;
