package dev.regroup.cli.live;

import dev.regroup.cli.live.ViewModel.Line;
import dev.regroup.cli.run.RunScreen.Source;
import dev.regroup.cli.run.RunView;
import dev.regroup.rules.progress.Pace;
import dev.regroup.rules.progress.ProgressStep;
import dev.regroup.rules.progress.StepLines;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What workers wrote and what it tells. Lines and steps count when they were written: who begins to
 * watch hears all that one worker wrote at once, then all of the next. For one thread at a time.
 */
final class Heard {

  private static final Duration SILENT = Duration.ofSeconds(30);
  private static final int MOST_LINES = 2_000;

  private final Instant began;
  private final List<Written> written = new ArrayList<>(); // in the order of time
  private final Map<String, Worker> workers = new HashMap<>(); // by pod
  private Instant fellBack = Instant.MIN; // when a worker last told an earlier step than before

  /** A line with the pod that wrote it. */
  private record Written(String pod, Line line) {}

  /** What the output of a worker tells. */
  private static final class Worker {
    final StepLines lines = StepLines.usual();
    Instant last = Instant.MIN; // heard
    @Nullable ProgressStep first;
    @Nullable ProgressStep step;
    Instant stepHeard = Instant.MIN;
  }

  Heard(Instant began) {
    this.began = began;
  }

  /** A line that was written then and is heard now. */
  void output(Source source, Instant at, Instant now, String line) {
    var worker = workers.computeIfAbsent(source.pod(), _ -> new Worker());
    worker.last = now;
    worker
        .lines
        .read(line, at)
        .ifPresent(step -> {
          boolean again = worker.step != null && step.number() < worker.step.number();
          worker.first = worker.first == null || again ? step : worker.first;
          fellBack = again && at.isAfter(fellBack) ? at : fellBack;
          worker.step = step;
          worker.stepHeard = now;
        });
    keep(new Written(source.pod(), new Line(Duration.between(began, at), source.prefix(), line)));
  }

  private void keep(Written one) {
    int place = written.size();
    while (place > 0 && written.get(place - 1).line().since().compareTo(one.line().since()) > 0) {
      place--;
    }
    written.add(place, one);
    if (written.size() > MOST_LINES) {
      written.removeFirst();
    }
  }

  /** The newest of this pod, or of all if it has no name. */
  List<Line> lines(String pod) {
    return written.stream()
        .filter(one -> pod.isEmpty() || one.pod().equals(pod))
        .map(Written::line)
        .toList();
  }

  /** The furthest; null if none was told. */
  @Nullable ProgressStep step() {
    var furthest = furthest();
    return furthest == null ? null : furthest.step;
  }

  /** By the clock of those that wrote the steps; only what has passed since is by ours. */
  Optional<Duration> left(Instant now) {
    var worker = furthest();
    if (worker == null || worker.step == null) {
      return Optional.empty();
    }
    var since = Duration.between(worker.stepHeard, now);
    return Pace.left(worker.first, worker.step, worker.step.at().plus(since));
  }

  /** Of those that have told a step since somebody went back to an earlier one. */
  private @Nullable Worker furthest() {
    Worker furthest = null;
    for (var worker : workers.values()) {
      var step = worker.step;
      if (step != null
          && !step.at().isBefore(fellBack)
          && (furthest == null
              || furthest.step == null
              || step.number() > furthest.step.number())) {
        furthest = worker;
      }
    }
    return furthest;
  }

  /** Those that run and have not been heard for a while. */
  Set<String> silent(RunView view, Instant now) {
    var silent = new HashSet<String>();
    for (var worker : view.workers()) {
      var known = workers.get(worker.pod());
      if (worker.sign() == RunView.Sign.RUNNING
          && known != null
          && known.last.plus(SILENT).isBefore(now)) {
        silent.add(worker.pod());
      }
    }
    return silent;
  }
}
