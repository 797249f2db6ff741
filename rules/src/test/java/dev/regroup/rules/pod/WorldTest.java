package dev.regroup.rules.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Random pods in random trouble (design.md section 9). A failure prints the seed; {@code
 * -Dworld=<seed>} lives through that one again, {@code -Dworlds=<n>} runs more.
 */
class WorldTest {

  @Test
  @Rule({"RAC-06", "RAC-07", "RAC-52", "RAC-70", "RAC-71", "RAC-72", "RAC-74", "IMM-04", "TPC-26"})
  void every_world_keeps_the_invariants_and_comes_to_rest() {
    long worlds = Long.getLong("worlds", 10_000);
    long only = Long.getLong("world", -1);
    long first = Math.max(only, 0);
    long last = only >= 0 ? only : worlds - 1;

    var toll =
        LongStream.rangeClosed(first, last)
            .parallel()
            .mapToObj(WorldTest::live)
            .reduce(WorldMaker.Toll.NONE, WorldMaker.Toll::plus);

    System.out.printf("%d pods: %s%n", last - first + 1, toll);
    if (only < 0) {
      assertThat(toll.crashes()).as("a crash each on average").isGreaterThan(worlds);
      assertThat(toll.failures()).as("a failed effect each on average").isGreaterThan(worlds);
      assertThat(toll.cycles()).as("a restart each on average").isGreaterThan(worlds);
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
