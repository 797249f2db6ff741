/**
 * One write on its way through admission: what is asked, what else is known, what came of it.
 *
 * <p>Holds values only; decides nothing. Start reading at {@link
 * dev.regroup.api.admission.review.Review}.
 */
@NullMarked
package dev.regroup.api.admission.review;

import org.jspecify.annotations.NullMarked;
