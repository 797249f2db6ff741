package dev.regroup.rules.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.regroup.rules.Rule;
import org.junit.jupiter.api.Test;

/**
 * Barrier safety, liveness and exactly once in ten thousand bad worlds. A failure prints the seed;
 * {@code -Dworld=<seed>} lives through that one again, {@code -Dworlds=<n>} runs more.
 */
class GroupSimTest {

  @Test
  @Rule({"JS-142", "JS-143", "AS-52"})
  void barrier_is_safe_live_and_exact_in_every_world() {
    long worlds = Long.getLong("worlds", 10_000);
    long only = Long.getLong("world", -1);
    long first = Math.max(only, 0);
    long last = only >= 0 ? only : worlds - 1;
    long restarts = 0;
    long crashes = 0;
    long lost = 0;
    long repeated = 0;
    long stale = 0;

    for (long seed = first; seed <= last; seed++) {
      var toll = live(seed);
      restarts += toll.restarts();
      crashes += toll.crashes();
      lost += toll.lost();
      repeated += toll.repeated();
      stale += toll.stale();
    }

    System.out.printf(
        "%d groups: %d restarts, %d crashes, messages %d lost, %d repeated, %d stale%n",
        last - first + 1, restarts, crashes, lost, repeated, stale);
    if (only < 0) {
      assertThat(restarts).as("a restart each on average").isGreaterThan(worlds);
      assertThat(crashes).as("a crash each on average").isGreaterThan(worlds);
      assertThat(Math.min(Math.min(lost, repeated), stale)).as("messages").isGreaterThan(worlds);
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
