package dev.regroup.rules.pod.plan;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The worlds are worth something only if they find what is wrong. */
class PlantedBugsTest {
  private static final int ENOUGH = 3_000;

  @ParameterizedTest
  @EnumSource
  void the_worlds_find(Bugs bug) {
    assertThat(foundIn(bug)).as("worlds until %s was found", bug).isLessThan(ENOUGH);
  }

  private static long foundIn(Bugs bug) {
    for (long seed = 0; seed < ENOUGH; seed++) {
      try {
        WorldMaker.live(seed, bug.plant);
      } catch (AssertionError found) {
        return seed;
      }
    }
    return ENOUGH;
  }
}
