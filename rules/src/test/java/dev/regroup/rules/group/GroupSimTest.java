package dev.regroup.rules.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Barrier safety, liveness and exactly once in ten thousand bad worlds (design.md section 9). */
class GroupSimTest {

  private static final long WORLDS = Long.getLong("worlds", 10_000);

  @Test
  void barrier_is_safe_live_and_exact_in_every_world() {
    long first = Long.getLong("seed", 1);

    for (long seed = first; seed < first + WORLDS; seed++) {
      var world = new World(seed, World.Bug.NONE);
      try {
        world.run();
      } catch (World.Broken broken) {
        fail(
            "seed %d: %s%nreplay with -Dseed=%d -Dworlds=1%n%s"
                .formatted(seed, broken.getMessage(), seed, String.join("\n", world.log())),
            broken);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void a_planted_bug_is_found(World.Bug bug) {
    var found = LongStream.rangeClosed(1, 2_000).filter(seed -> breaks(seed, bug)).findFirst();

    assertThat(found).as("a seed that shows %s", bug).isNotEqualTo(OptionalLong.empty());
  }

  @Test
  void the_same_seed_replays_the_same_world() {
    var one = new World(42, World.Bug.NONE);
    var two = new World(42, World.Bug.NONE);

    one.run();
    two.run();

    assertThat(one.log()).isNotEmpty().isEqualTo(two.log());
  }

  private static boolean breaks(long seed, World.Bug bug) {
    try {
      new World(seed, bug).run();
      return false;
    } catch (World.Broken | IllegalArgumentException | IllegalStateException found) {
      return true;
    }
  }
}
