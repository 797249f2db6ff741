/**
 * The vocabulary all decisions share, and the decision on one container exit (node.md section 2).
 *
 * <p>Everything below this package is a pure function of its arguments: no clock, thread, file,
 * socket or logger, and no Kubernetes library. Start reading at {@link
 * dev.regroup.rules.ExitDecision}, then go on to {@link dev.regroup.rules.pod.plan.PodPlan}.
 */
@NullMarked
package dev.regroup.rules;

import org.jspecify.annotations.NullMarked;
