package dev.regroup.runtime;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Which lines of a log are wanted.
 *
 * @param tail the last so many lines of what is there when the reader opens
 * @param since only lines written at or after this time
 */
public record LogQuery(OptionalLong tail, Optional<Instant> since, Mode mode) {

  public enum Mode {
    /** What is there now. */
    SNAPSHOT,
    /** What is there and what comes, until the container has ended. */
    FOLLOW
  }

  public static final LogQuery ALL =
      new LogQuery(OptionalLong.empty(), Optional.empty(), Mode.SNAPSHOT);

  public LogQuery following() {
    return new LogQuery(tail, since, Mode.FOLLOW);
  }

  public LogQuery tailing(long lines) {
    return new LogQuery(OptionalLong.of(lines), since, mode);
  }

  public LogQuery from(Instant start) {
    return new LogQuery(tail, Optional.of(start), mode);
  }
}
