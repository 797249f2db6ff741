package dev.regroup.rules.group;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The worlds are worth something only if they find what is wrong. */
class PlantedBugsTest {
  private static final int ENOUGH = 3_000;

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void the_worlds_find(Bug bug) {
    assertThat(foundIn(bug)).as("worlds until %s was found", bug).isLessThan(ENOUGH);
  }

  private static long foundIn(Bug bug) {
    for (long seed = 0; seed < ENOUGH; seed++) {
      try {
        new World(seed, bug).run();
      } catch (Invariants.Broken | IllegalArgumentException | IllegalStateException found) {
        return seed;
      }
    }
    return ENOUGH;
  }
}
