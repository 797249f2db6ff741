package dev.regroup.rules.node;

import java.time.Duration;

/**
 * Time that a program has lived through. Between two looks that are further apart than they should
 * be the program stood still: the machine slept, or the program was stopped. Nothing could be heard
 * then, so that time counts for nobody.
 *
 * @param total lived through so far
 * @param looked when it last looked, on the ticker of the one who looks
 */
public record WakingTime(Duration total, long looked) {

  public static WakingTime from(long nanos) {
    return new WakingTime(Duration.ZERO, nanos);
  }

  /** The next look; {@code longest} is what may lie between two of a program that is awake. */
  public WakingTime at(long nanos, Duration longest) {
    var passed = Duration.ofNanos(nanos - looked);
    return new WakingTime(passed.compareTo(longest) > 0 ? total : total.plus(passed), nanos);
  }
}
