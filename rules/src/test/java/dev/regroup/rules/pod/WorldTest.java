package dev.regroup.rules.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * Random pods in random trouble (design.md section 9). A failure prints the seed; {@code
 * -Dworld=<seed>} lives through that one again, {@code -Dworlds=<n>} runs more.
 */
class WorldTest {

  @Test
  @Rule({"RAC-06", "RAC-07", "RAC-52", "RAC-70", "RAC-71", "RAC-72", "RAC-74", "IMM-04", "TPC-26"})
  void every_world_keeps_the_invariants_and_comes_to_rest() {
    long crashes = 0;
    long failures = 0;
    long starts = 0;
    long cycles = 0;
    long worlds = Long.getLong("worlds", 10_000);
    long only = Long.getLong("world", -1);
    long first = only >= 0 ? only : 0;
    long last = only >= 0 ? only : worlds - 1;

    for (long seed = first; seed <= last; seed++) {
      var toll = live(seed);
      crashes += toll.crashes();
      failures += toll.failures();
      starts += toll.starts();
      cycles += toll.cycles();
    }

    System.out.printf(
        "%d worlds: %d starts, %d cycles, %d crashes, %d failed effects%n",
        last - first + 1, starts, cycles, crashes, failures);
    if (only < 0) {
      assertThat(crashes).as("a crash each on average").isGreaterThan(worlds);
      assertThat(failures).as("a failed effect each on average").isGreaterThan(worlds);
      assertThat(cycles).as("a restart each on average").isGreaterThan(worlds);
    }
  }

  private static WorldMaker.Toll live(long seed) {
    try {
      return WorldMaker.live(seed, UnaryOperator.identity());
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(
          "world " + seed + ": " + e + " (repeat with -Dworld=" + seed + ")", e);
    }
  }
}
