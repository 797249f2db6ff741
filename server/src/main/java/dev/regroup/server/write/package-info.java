/**
 * Create, update, patch, delete and the acts on parts of objects. Each decodes once, asks the
 * strategy of the kind and admission, and commits once; who comes second tries again or is told.
 *
 * <p>Nothing here knows who asks or how a request travelled. Start reading at {@link
 * dev.regroup.server.write.Writer}.
 */
@NullMarked
package dev.regroup.server.write;

import org.jspecify.annotations.NullMarked;
