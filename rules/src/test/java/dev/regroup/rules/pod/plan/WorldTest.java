package dev.regroup.rules.pod.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import dev.regroup.rules.Worlds;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * Random pods in random trouble (design.md section 9). A failure prints the seed; {@code
 * -Dworld=<seed>} lives through that one again, {@code -Dworlds=<n>} runs more.
 */
class WorldTest {

  @Test
  @Rule({
    "RAC-06", "RAC-07", "RAC-52", "RAC-70", "RAC-71", "RAC-72", "RAC-73", "RAC-74", "SEQ-25a",
    "IMM-04", "TPC-26"
  })
  void every_world_keeps_the_invariants_and_comes_to_rest() {
    var worlds = Worlds.asked();

    var toll = worlds.live(WorldTest::live, WorldMaker.Toll.NONE, WorldMaker.Toll::plus);

    System.out.printf("%d pods: %s%n", worlds.count(), toll);
    if (worlds.many()) {
      assertThat(toll.crashes()).as("a crash each on average").isGreaterThan(worlds.count());
      assertThat(toll.failures())
          .as("a failed effect each on average")
          .isGreaterThan(worlds.count());
      assertThat(toll.losses()).as("a lost process each on average").isGreaterThan(worlds.count());
      assertThat(toll.cycles()).as("a restart each on average").isGreaterThan(worlds.count());
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
