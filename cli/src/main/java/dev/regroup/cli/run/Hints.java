package dev.regroup.cli.run;

import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.pod.plan.DueStops;
import dev.regroup.rules.progress.RestartCost;
import dev.regroup.rules.progress.RestartCost.Measure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What would have made restarts cheaper, in a line each. */
final class Hints {

  private static final Duration WORTH_IT = Duration.ofMillis(500);

  private Hints() {}

  static List<String> of(List<RestartFact> restarts) {
    var hints = new ArrayList<String>();
    var waited = longest(restarts.stream().map(Hints::waited).toList());
    if (waited.compareTo(WORTH_IT) >= 0) {
      hints.add(
          "workers catch SIGTERM: annotation %s: \"0\" saves %s per restart"
              .formatted(JobSetKeys.RESTART_GRACE, seconds(waited)));
    }
    var hangGrace =
        longest(
            restarts.stream()
                .map(one -> between(one.cost(), Moment.FOUND_HANGING, Moment.EXIT_SEEN))
                .toList());
    if (hangGrace.minus(DueStops.MINIMUM).compareTo(WORTH_IT) >= 0) {
      hints.add(
          "a worker that hung had %s to end: livenessProbe.terminationGracePeriodSeconds: 1"
                  .formatted(seconds(hangGrace))
              + " makes that %ds, the least there is".formatted(DueStops.MINIMUM.toSeconds()));
    }
    boolean told = restarts.stream().anyMatch(one -> one.cost().measure() == Measure.STEPS);
    if (!restarts.isEmpty() && !told) {
      hints.add(
          "no steps were seen, so what was done twice is not counted: print \"step N\" or write N"
              + " into $JOBSET_RESTART_DIR/progress");
    }
    return hints;
  }

  private static Duration waited(RestartFact one) {
    return one.kind() != RestartFact.Kind.IN_PLACE || one.cost().waits().isEmpty()
        ? Duration.ZERO
        : one.cost().waits().getFirst().took();
  }

  private static Duration between(RestartCost cost, Moment from, Moment to) {
    Instant begin = cost.moments().get(from);
    Instant end = cost.moments().get(to);
    return begin == null || end == null ? Duration.ZERO : Duration.between(begin, end);
  }

  private static Duration longest(List<Duration> all) {
    return all.stream().max(Duration::compareTo).orElse(Duration.ZERO);
  }

  private static String seconds(Duration duration) {
    return String.format(Locale.ROOT, "%.1fs", duration.toNanos() / 1e9);
  }
}
