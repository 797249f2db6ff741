/**
 * The JobSet as a plan: which Jobs to make, delete, suspend and resume, when the set has failed or
 * is complete, and what its failure policy does (jobset.md sections 2 and 4 to 6). The barrier of a
 * group is decided in {@code dev.regroup.rules.group} and fitted in here as the last step.
 *
 * <p>Everything here is a pure function of its arguments. No class may read a clock, start a
 * thread, touch a file, log, or remember anything between two calls. Start reading at {@link
 * dev.regroup.rules.jobset.JobSetPlan}.
 */
@NullMarked
package dev.regroup.rules.jobset;

import org.jspecify.annotations.NullMarked;
