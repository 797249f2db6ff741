/**
 * What the fields of every kind are called, what they hold and how lists are keyed: the compact
 * schema of Kubernetes 1.36 and of JobSet, and the decoding checks that follow from it.
 *
 * <p>Definitions are parsed when first asked for, so loading costs next to nothing. Nothing here
 * judges values; that is admission. Start reading at {@link dev.regroup.api.schema.Schema}.
 */
@NullMarked
package dev.regroup.api.schema;

import org.jspecify.annotations.NullMarked;
