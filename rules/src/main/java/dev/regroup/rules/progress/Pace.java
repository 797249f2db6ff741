package dev.regroup.rules.progress;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How fast a program goes on, and when it will be done if it goes on like this. */
public final class Pace {

  private Pace() {}

  /** When it was at a step between two that it told, if it went on evenly from one to the other. */
  public static Instant at(ProgressStep first, ProgressStep last, long number) {
    long steps = last.number() - first.number();
    if (steps <= 0) {
      return last.at();
    }
    long nanos = Duration.between(first.at(), last.at()).toNanos();
    return first.at().plusNanos((long) ((double) nanos * (number - first.number()) / steps));
  }

  /**
   * The time left; empty if it tells no total, or not enough to know its pace, or if the steps of
   * before promised that it would be done by now.
   */
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
    return rest.isNegative() && open > 0
        ? Optional.empty()
        : Optional.of(rest.isNegative() ? Duration.ZERO : rest);
  }
}
