/**
 * Hurts the workers of a group on purpose, by a plan or by chance, and says so before it does.
 *
 * <p>What becomes of it is watched by {@code cli.run} and told in its report. Nothing here waits
 * for ever, and nothing is hurt that is no worker of the group. Start reading at {@link
 * dev.regroup.cli.chaos.Chaos}; a plan is read by {@link dev.regroup.cli.chaos.PlanText}.
 */
@NullMarked
package dev.regroup.cli.chaos;

import org.jspecify.annotations.NullMarked;
