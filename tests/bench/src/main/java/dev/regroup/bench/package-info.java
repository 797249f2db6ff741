/**
 * Figures of the whole product, each beside its floor: the least that the same machine could need
 * for the same processes or bytes, measured in the same run. A figure is a ratio first, because
 * machines differ and are busy; limits are ratios too.
 *
 * <p>Nothing here may look into a part to make it faster or slower: benchmarks use what users use.
 * Start reading at {@link dev.regroup.bench.Bench}, then {@link dev.regroup.bench.PodRestartBench}.
 */
@NullMarked
package dev.regroup.bench;

import org.jspecify.annotations.NullMarked;
