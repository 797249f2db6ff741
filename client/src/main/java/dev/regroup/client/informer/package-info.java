/**
 * Caches that follow a server: a list, a watch, and listeners that hear of every change in order.
 *
 * <p>Keeps only what its reader makes of an object. Start reading at {@link
 * dev.regroup.client.informer.Informer}.
 */
@NullMarked
package dev.regroup.client.informer;

import org.jspecify.annotations.NullMarked;
