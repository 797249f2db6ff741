/**
 * Admission of Jobs ({@code batch/v1}): defaults, the generated selector, checks of the spec, what
 * may change later, and what a status may say (job.md sections 1 and 2).
 *
 * <p>Pure functions on trees. Start reading at {@link dev.regroup.api.admission.job.JobAdmission}.
 */
@NullMarked
package dev.regroup.api.admission.job;

import org.jspecify.annotations.NullMarked;
