package dev.regroup.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The worlds are worth something only if they find what is wrong. */
class MistakesSimTest {

  private static final int ENOUGH = 2_000;

  @ParameterizedTest
  @EnumSource
  void the_worlds_find(Mistake mistake) {
    var found = new AtomicBoolean(); // anyMatch alone lets the others finish their share
    LongStream.range(0, ENOUGH)
        .parallel()
        .filter(_ -> !found.get())
        .filter(seed -> finds(mistake, seed))
        .forEach(_ -> found.set(true));

    assertThat(found).as("found in %d worlds", ENOUGH).isTrue();
  }

  private static boolean finds(Mistake mistake, long seed) {
    try {
      new Cluster(seed, mistake.plant(), Simulation.Log.OFF).run();
    } catch (AssertionError found) {
      return true;
    }
    return false;
  }
}
