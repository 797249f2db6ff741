/**
 * A group of workers that restarts together (KEP-467): what a pod shows of a failure, who has
 * reported which attempt, when the barrier lifts, when everybody has to go back, how often that may
 * happen, and what every agent makes of the orders.
 *
 * <p>Everything is a pure function of its arguments, except {@link
 * dev.regroup.rules.group.Counters}, which is the group counted event by event and belongs to one
 * thread. No class here may read a clock, start a thread, touch a file, log, or walk over all pods
 * to answer one event. Start reading at {@link dev.regroup.rules.group.GroupPlan}.
 */
@NullMarked
package dev.regroup.rules.group;

import org.jspecify.annotations.NullMarked;
