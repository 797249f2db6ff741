package dev.regroup.rules.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.regroup.rules.Rule;
import dev.regroup.rules.Worlds;
import org.junit.jupiter.api.Test;

/**
 * Barrier safety, liveness and exactly once in ten thousand bad worlds. A failure prints the seed;
 * {@code -Dworld=<seed>} lives through that one again, {@code -Dworlds=<n>} runs more.
 */
class GroupSimTest {

  @Test
  @Rule({"JS-142", "JS-143", "AS-52"})
  void barrier_is_safe_live_and_exact_in_every_world() {
    var worlds = Worlds.asked();

    var toll = worlds.live(GroupSimTest::live, World.Toll.NONE, World.Toll::plus);

    System.out.printf("%d groups: %s%n", worlds.count(), toll);
    if (worlds.many()) {
      assertThat(toll.restarts()).as("a restart each on average").isGreaterThan(worlds.count());
      assertThat(toll.crashes()).as("a crash each on average").isGreaterThan(worlds.count());
      assertThat(toll.lost()).as("a lost message each").isGreaterThan(worlds.count());
      assertThat(toll.repeated()).as("a repeated message each").isGreaterThan(worlds.count());
      assertThat(toll.stale()).as("a stale message each").isGreaterThan(worlds.count());
    }
  }

  private static World.Toll live(long seed) {
    var world = new World(seed, Bug.NONE);
    try {
      return world.run();
    } catch (RuntimeException broken) {
      return fail(
          "group %d: %s (repeat with -Dworld=%d)%n%s"
              .formatted(seed, broken, seed, String.join("\n", world.log())),
          broken);
    }
  }

  @Test
  void the_same_seed_replays_the_same_world() {
    var one = new World(42, Bug.NONE);
    var two = new World(42, Bug.NONE);

    one.run();
    two.run();

    assertThat(one.log()).isNotEmpty().isEqualTo(two.log());
  }
}
