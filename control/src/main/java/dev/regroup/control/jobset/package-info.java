/**
 * The JobSet controller: follows JobSets, their Jobs and pods and does what {@code rules.jobset}
 * and {@code rules.group} plan.
 *
 * <p>It decides nothing itself. A pod event costs the same in every group: it updates counters, and
 * only a change that calls for an order wakes the JobSet. Start reading at {@link
 * dev.regroup.control.jobset.JobSetController}.
 */
@NullMarked
package dev.regroup.control.jobset;

import org.jspecify.annotations.NullMarked;
