package dev.regroup.rules.group;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One group restart as the status remembers it (JS-28l).
 *
 * @param attempt the attempt the group moves on to
 * @param liftedAt null while the group gathers at the barrier
 */
public record InPlaceRestart(
    int attempt, Instant startedAt, @Nullable Instant liftedAt, Sign cause, boolean counted) {

  InPlaceRestart lifted(Instant at) {
    return new InPlaceRestart(attempt, startedAt, at, cause, counted);
  }
}
