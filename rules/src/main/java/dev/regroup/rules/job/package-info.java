/**
 * The batch/v1 Job as a plan: which pods to make and to delete, what is counted, when the Job has
 * failed or is complete (job.md sections 3 to 8).
 *
 * <p>Everything here is a pure function of its arguments. No class may read a clock, start a
 * thread, touch a file, log, or remember anything between two calls. Start reading at {@link
 * dev.regroup.rules.job.JobPlan}.
 */
@NullMarked
package dev.regroup.rules.job;

import org.jspecify.annotations.NullMarked;
