/**
 * One pod on its node, as values: what is known of it, what is {@linkplain
 * dev.regroup.rules.pod.Observed observed}, what can be {@linkplain dev.regroup.rules.pod.Effect
 * done}, and what is {@linkplain dev.regroup.rules.pod.PodStatus said}.
 *
 * <p>Nothing here decides; {@code rules.pod.plan} does. Start reading at {@link
 * dev.regroup.rules.pod.Observed}.
 */
@NullMarked
package dev.regroup.rules.pod;

import org.jspecify.annotations.NullMarked;
