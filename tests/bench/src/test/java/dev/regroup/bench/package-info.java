/** Tests of the limits, and the short form of the benchmarks. Read {@code BenchIT} first. */
@NullMarked
package dev.regroup.bench;

import org.jspecify.annotations.NullMarked;
