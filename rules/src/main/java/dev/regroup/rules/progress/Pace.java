package dev.regroup.rules.progress;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How fast a program goes on, and when it will be done if it goes on like this. */
public final class Pace {

  private Pace() {}

  /** The time left; empty if it tells no total, or not enough to know its pace. */
  public static Optional<Duration> left(
      @Nullable ProgressStep first, @Nullable ProgressStep last, Instant now) {
    if (first == null || last == null || last.total() <= 0) {
      return Optional.empty();
    }
    long done = last.number() - first.number();
    long nanos = Duration.between(first.at(), last.at()).toNanos();
    long open = Math.max(0, last.total() - last.number());
    if (done <= 0 || nanos <= 0) {
      return Optional.empty();
    }
    var left = Duration.ofNanos((long) ((double) nanos / done * open));
    var since = Duration.between(last.at(), now);
    var rest = since.isNegative() ? left : left.minus(since);
    return Optional.of(rest.isNegative() ? Duration.ZERO : rest);
  }
}
