package dev.regroup.sim;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The worlds are worth something only if they find what is wrong. */
class MistakesSimTest {

  private static final int ENOUGH = 600;

  @ParameterizedTest
  @EnumSource
  void the_worlds_find(Mistake mistake) {
    assertThat(foundIn(mistake)).as("worlds until %s was found", mistake).isLessThan(ENOUGH);
  }

  private static long foundIn(Mistake mistake) {
    for (long seed = 0; seed < ENOUGH; seed++) {
      try {
        new Cluster(seed, mistake.plant(), Simulation.Log.OFF).run();
      } catch (AssertionError found) {
        return seed;
      }
    }
    return ENOUGH;
  }
}
