package dev.regroup.rules.progress;

import dev.regroup.rules.progress.RestartCost.Measure;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which share of the time of a workload was of use: not its first start, not what it stood still
 * for restarts, not what it did again after them.
 *
 * @param wall from the beginning to the end, or to now
 * @param starting until it worked for the first time
 * @param down in all restarts together
 * @param redoing what it did again
 * @param measure the weakest of what the figures are known from
 */
public record Goodput(
    Duration wall, Duration starting, Duration down, Duration redoing, Measure measure) {

  /**
   * Of a workload.
   *
   * @param works when it worked for the first time; null if it never did
   * @param restarts in any order; where they overlap time counts once
   * @param told what {@code works} is known from
   */
  public static Goodput of(
      Instant began,
      Instant ended,
      @Nullable Instant works,
      Measure told,
      List<RestartCost> restarts) {
    var until = within(works == null ? ended : works, began, ended);
    var starting = Duration.between(began, until);
    var down = Duration.ZERO;
    var redoing = Duration.ZERO;
    var measure = told;
    var sorted = restarts.stream().sorted(Comparator.comparing(RestartCost::began)).toList();
    for (int i = 0; i < sorted.size(); i++) {
      var cost = sorted.get(i);
      var next = i + 1 < sorted.size() ? sorted.get(i + 1).began() : ended;
      measure = measure.compareTo(cost.measure()) > 0 ? measure : cost.measure();
      var from = within(cost.began(), until, ended);
      var again = within(cost.works(), from, ended);
      down = down.plus(Duration.between(from, again));
      var back = within(backOrNever(cost, next), again, ended);
      redoing = redoing.plus(Duration.between(again, back));
      until = back;
    }
    return new Goodput(Duration.between(began, ended), starting, down, redoing, measure);
  }

  /** Who has not come back to its step until the next restart has only repeated itself. */
  private static Instant backOrNever(RestartCost cost, Instant next) {
    var back = cost.back();
    if (back != null) {
      return back;
    }
    return cost.reached() >= 0 && cost.resumed() >= 0 && cost.resumed() < cost.reached()
        ? next
        : cost.works();
  }

  private static Instant within(Instant at, Instant from, Instant to) {
    var late = at.isBefore(from) ? from : at;
    return late.isAfter(to) ? (to.isBefore(from) ? from : to) : late;
  }

  public Duration useful() {
    var useful = wall.minus(starting).minus(down).minus(redoing);
    return useful.isNegative() ? Duration.ZERO : useful;
  }

  /** From 0 to 1. */
  public double ratio() {
    return wall.isZero() ? 0 : (double) useful().toNanos() / wall.toNanos();
  }
}
