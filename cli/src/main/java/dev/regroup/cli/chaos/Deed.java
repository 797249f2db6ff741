package dev.regroup.cli.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * One line of a plan: what is done to whom, when, and for how long.
 *
 * @param workers by their number in the group; empty for all
 * @param container that is meant; empty for the first
 * @param lasting zero if nobody said
 */
public record Deed(
    Harm harm, List<Integer> workers, String container, When when, Duration lasting) {

  /** When it is due. */
  public sealed interface When {

    /** So long after all workers ran for the first time. */
    record After(Duration time) implements When {}

    /** As soon as a worker tells this step. */
    record AtStep(long step) implements When {}
  }

  public Deed {
    workers = List.copyOf(workers);
    Objects.requireNonNull(harm, "harm");
    Objects.requireNonNull(when, "when");
  }

  /** As a plan spells it. */
  @Override
  public String toString() {
    var text = new StringBuilder(harm.word()).append(" worker ");
    text.append(
        workers.isEmpty()
            ? "all"
            : workers.stream().map(String::valueOf).collect(Collectors.joining(",")));
    if (!container.isEmpty()) {
      text.append(" container ").append(container);
    }
    text.append(
        switch (when) {
          case When.After(Duration time) -> " after " + text(time);
          case When.AtStep(long step) -> " at step " + step;
        });
    if (!lasting.isZero()) {
      text.append(" for ").append(text(lasting));
    }
    return text.toString();
  }

  /** As it is written: {@code 1500ms}, {@code 10s}. */
  static String text(Duration time) {
    return time.toMillisPart() == 0 ? time.toSeconds() + "s" : time.toMillis() + "ms";
  }
}
