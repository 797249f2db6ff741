/**
 * Admission of JobSets: the defaults and checks of the definition's schema, then those of JobSet's
 * own webhooks, in that order and with their texts (jobset.md section 3); and what the Job creation
 * step adds for in-place restarts.
 *
 * <p>Pure functions on trees. Start reading at {@link
 * dev.regroup.api.admission.jobset.JobSetAdmission}.
 */
@NullMarked
package dev.regroup.api.admission.jobset;

import org.jspecify.annotations.NullMarked;
