/** Tests of what is added to the Jobs of a JobSet. */
@NullMarked
package dev.regroup.api.admission.jobset;

import org.jspecify.annotations.NullMarked;
