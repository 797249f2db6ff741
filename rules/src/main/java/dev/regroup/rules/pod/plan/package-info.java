/**
 * The plan for one pod (node.md sections 2 to 7): what ends, restarts, starts and stops next, and
 * what the status says of it.
 *
 * <p>Nothing here may read a clock, start a thread, touch a file or socket, log, or remember
 * anything between two calls. Start reading at {@link dev.regroup.rules.pod.plan.PodPlan}.
 */
@NullMarked
package dev.regroup.rules.pod.plan;

import org.jspecify.annotations.NullMarked;
