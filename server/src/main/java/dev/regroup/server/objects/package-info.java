/**
 * Objects as the store keeps them.
 *
 * <p>The store keeps an object as the JSON that clients get, with its resource version at a fixed
 * place, so reading and watching is splicing bytes. Nothing here knows requests. Start reading at
 * {@link dev.regroup.server.objects.ObjectStore}.
 */
@NullMarked
package dev.regroup.server.objects;

import org.jspecify.annotations.NullMarked;
