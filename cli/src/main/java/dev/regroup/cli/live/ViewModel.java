package dev.regroup.cli.live;

import dev.regroup.cli.run.RunView;
import dev.regroup.rules.progress.ProgressStep;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All that a frame shows. A value.
 *
 * @param left until it is done, if it goes on like this
 * @param silent workers that wrote nothing for long
 * @param lines newest last: of all workers, or of the one that was chosen
 * @param chosen the worker whose lines are shown, -1 for all
 * @param typed what was typed after {@code l}, if it is being typed
 * @param stopping whether somebody ended the run
 */
record ViewModel(
    RunView run,
    Instant now,
    @Nullable ProgressStep step,
    Optional<Duration> left,
    Set<String> silent,
    Page page,
    List<Line> lines,
    int chosen,
    @Nullable String typed,
    Purpose purpose,
    boolean stopping) {

  /** What the lower part shows. */
  enum Page {
    LOGS,
    EVENTS,
    RESTARTS
  }

  /** What leaving the view means. */
  enum Purpose {
    /** The run ends with it. */
    RUN,
    /** Nothing else happens. */
    WATCH
  }

  /**
   * A line of a worker or an event.
   *
   * @param since the run began
   * @param who wrote it; empty for an event
   */
  record Line(Duration since, String who, String text) {}

  ViewModel {
    lines = List.copyOf(lines);
    silent = Set.copyOf(silent);
  }
}
