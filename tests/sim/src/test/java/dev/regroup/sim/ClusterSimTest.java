package dev.regroup.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.Rule;
import dev.regroup.rules.Worlds;
import org.junit.jupiter.api.Test;

/**
 * Random JobSets on random machines in random trouble (design.md section 9). A failure prints the
 * seed and the steps; {@code -Dworld=<seed>} lives through that world again, {@code -Dworlds=<n>}
 * runs more.
 */
class ClusterSimTest {

  @Test
  @Rule({
    "JS-118", "JS-120", "JS-134", "JS-135a", "JS-136", "JS-142", "JS-143", "JS-160", "JS-160a",
    "JS-160b", "JS-165", "JS-89a", "RAC-54", "RAC-72", "RAC-73", "SEQ-25a"
  })
  void every_world_keeps_the_invariants_and_comes_to_rest() {
    var worlds = Worlds.asked();

    var toll = worlds.live(ClusterSimTest::live, Cluster.Toll.NONE, Cluster.Toll::plus);

    System.out.printf("%d clusters: %s%n", worlds.count(), toll);
    if (worlds.many()) {
      assertThat(toll.restarts()).as("a group restart each").isGreaterThan(worlds.count());
      assertThat(toll.crashes()).as("a crash each on average").isGreaterThan(worlds.count());
      assertThat(toll.faults()).as("several faults each").isGreaterThan(4 * worlds.count());
      assertThat(toll.completed()).as("some complete").isPositive();
      assertThat(toll.failed()).as("some fail, most do not").isLessThan(worlds.count() / 2);
    }
  }

  private static Cluster.Toll live(long seed) {
    try {
      return new Cluster(seed, new Plant(), Simulation.Log.OFF).run();
    } catch (AssertionError | RuntimeException broken) {
      throw new AssertionError(story(seed, broken), broken);
    }
  }

  /** Lives through the world once more, now with every step written down. */
  private static String story(long seed, Throwable broken) {
    var again = new Cluster(seed, new Plant(), Simulation.Log.ON);
    var end = "this time nothing was wrong";
    try {
      again.run();
    } catch (AssertionError | RuntimeException e) {
      end = e.toString();
    }
    return "world %d: %s (repeat with -Dworld=%d)%n%s%n%s"
        .formatted(seed, broken, seed, String.join("\n", again.log()), end);
  }

  @Test
  void the_same_seed_replays_the_same_world() {
    var one = new Cluster(42, new Plant(), Simulation.Log.ON);
    var two = new Cluster(42, new Plant(), Simulation.Log.ON);

    one.run();
    two.run();

    assertThat(one.log()).hasSizeGreaterThan(50).isEqualTo(two.log());
  }
}
