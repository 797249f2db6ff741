/**
 * Get, list and watch: answers made by splicing stored bytes. An object is decoded only when a
 * client wants it in another form or selects by fields.
 *
 * <p>Nothing here changes anything. Start reading at {@link dev.regroup.server.read.Reader}, then
 * {@code Watches}.
 */
@NullMarked
package dev.regroup.server.read;

import org.jspecify.annotations.NullMarked;
