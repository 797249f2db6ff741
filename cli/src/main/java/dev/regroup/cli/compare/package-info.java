/**
 * The same failures with both restart strategies, side by side.
 *
 * <p>Each run is a {@code regroup run} in a process and a cluster of its own; what is compared is
 * what their reports say and nothing else. Start reading at {@link
 * dev.regroup.cli.compare.CompareCommand}; what is computed is in {@link
 * dev.regroup.cli.compare.Comparison}.
 */
@NullMarked
package dev.regroup.cli.compare;

import org.jspecify.annotations.NullMarked;
