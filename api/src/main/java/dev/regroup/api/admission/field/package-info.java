/**
 * What checks of every kind share: the path of a field, what can be wrong with it, names, labels,
 * selectors, addresses, and the answer that tells.
 *
 * <p>Knows no kind of object. Start reading at {@link dev.regroup.api.admission.field.FieldError}.
 */
@NullMarked
package dev.regroup.api.admission.field;

import org.jspecify.annotations.NullMarked;
