/**
 * One write on its way through admission: what is asked, what else is known, what came of it.
 *
 * <p>Holds the values and the shape of the chain; decides nothing. Start reading at {@link
 * dev.regroup.api.admission.review.AdmissionLink}.
 */
@NullMarked
package dev.regroup.api.admission.review;

import org.jspecify.annotations.NullMarked;
