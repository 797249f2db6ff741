/**
 * Schemas that users bring along with their custom kinds: what they say of an object, and what the
 * object becomes and is told because of it.
 *
 * <p>Everything here is a pure function of its arguments: no clock, no store, no thread. Whether a
 * schema itself is acceptable is decided in {@code api.admission.custom}. Start reading at {@link
 * Structural}.
 */
@NullMarked
package dev.regroup.api.structural;

import org.jspecify.annotations.NullMarked;
