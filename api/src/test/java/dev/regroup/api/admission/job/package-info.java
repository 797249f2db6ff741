/** Tests of the admission of Jobs. */
@NullMarked
package dev.regroup.api.admission.job;

import org.jspecify.annotations.NullMarked;
