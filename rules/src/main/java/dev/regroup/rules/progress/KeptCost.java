package dev.regroup.rules.progress;

import dev.regroup.rules.progress.RestartCost.Measure;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a restart of a group cost, as its JobSet remembers it when the pods that told it are gone.
 *
 * @param began see {@link RestartCost}
 * @param works when the group worked again
 * @param back when it was back at its step; null if it was not, or told no steps
 * @param reached the furthest step before, -1 if none was told
 * @param resumed the first step after, -1 if none was told
 */
public record KeptCost(
    Instant began,
    Instant works,
    @Nullable Instant back,
    Measure measure,
    long reached,
    long resumed) {

  public KeptCost {
    Objects.requireNonNull(began, "began");
    Objects.requireNonNull(works, "works");
    Objects.requireNonNull(measure, "measure");
  }

  /** The same time, and what became known since of the steps. */
  public KeptCost with(KeptCost later) {
    return new KeptCost(
        began,
        works,
        back == null ? later.back : back,
        later.measure == Measure.RUNNING ? measure : later.measure,
        Math.max(reached, later.reached),
        resumed < 0 ? later.resumed : resumed);
  }

  public Duration down() {
    return Duration.between(began, works);
  }

  /** Steps done twice, as far as they were told; -1 if they were not. */
  public long redone() {
    return new ProgramBreak(null, reached, resumed).redone();
  }
}
