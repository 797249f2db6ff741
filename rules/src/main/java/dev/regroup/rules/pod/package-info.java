/**
 * The life of one pod on its node, as a plan (node.md sections 2 to 7).
 *
 * <p>{@link dev.regroup.rules.pod.PodPlan} is asked again and again: what is {@linkplain
 * dev.regroup.rules.pod.Observed observed} goes in; {@linkplain dev.regroup.rules.pod.Effect
 * effects}, {@linkplain dev.regroup.rules.pod.PodStatus status} and the time of the next look come
 * out. Nothing here may read a clock, start a thread, touch a file or socket, log, or remember
 * anything between two calls. Start reading at {@code PodPlan}.
 */
@NullMarked
package dev.regroup.rules.pod;

import org.jspecify.annotations.NullMarked;
