package dev.regroup.rules.group;

import dev.regroup.rules.progress.KeptCost;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One group restart as the status remembers it (JS-28l).
 *
 * @param attempt the attempt the group moves on to
 * @param liftedAt null while the group gathers at the barrier
 * @param cost null while nobody has told it
 */
public record InPlaceRestart(
    int attempt,
    Instant startedAt,
    @Nullable Instant liftedAt,
    Sign cause,
    boolean counted,
    @Nullable KeptCost cost) {

  /** Nobody has told its cost. */
  public InPlaceRestart(
      int attempt, Instant startedAt, @Nullable Instant liftedAt, Sign cause, boolean counted) {
    this(attempt, startedAt, liftedAt, cause, counted, null);
  }

  InPlaceRestart lifted(Instant at) {
    return new InPlaceRestart(attempt, startedAt, at, cause, counted, cost);
  }

  InPlaceRestart because(Sign known) {
    return new InPlaceRestart(attempt, startedAt, liftedAt, known, counted, cost);
  }

  public InPlaceRestart with(KeptCost told) {
    return new InPlaceRestart(attempt, startedAt, liftedAt, cause, counted, told);
  }
}
