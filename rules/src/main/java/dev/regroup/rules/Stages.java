package dev.regroup.rules;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Where the time of a restart went, as a function of its moments: what a run's summary shows. Each
 * span ends with the moment it is named after and begins with the last known moment before it.
 */
public record Stages(List<Span> spans) {

  /** Moments of one restart, in their order. A pod may skip some. */
  public enum Moment {
    /** The last the program showed of itself before it was found hanging; only then. */
    LAST_SIGN("last sign of life"),
    /** A probe gave it up; what follows is its grace. */
    FOUND_HANGING("found hanging"),
    /** The source ended; the moment is the runtime's. */
    EXIT_SEEN("exit seen"),
    /** The node decided to restart all containers. */
    NOTICED("noticed"),
    /** No container of the old cycle runs. */
    STOPPED("stopped"),
    /** No record of the old cycle is left. */
    REMOVED("removed"),
    /** Init entries are done; the pod waits for its group. */
    AT_BARRIER("at the barrier"),
    /** The group may go on. */
    LIFTED("lifted"),
    /** Every regular container runs. */
    RUNNING("running"),
    /** The new program wrote something. */
    FIRST_OUTPUT("first output"),
    /** The new program is at the step that the old one had reached. */
    CAUGHT_UP("back at its step");

    private final String words;

    Moment(String words) {
      this.words = words;
    }

    public String words() {
      return words;
    }
  }

  /** The time that passed until a moment. */
  public record Span(Moment until, Duration took) {
    public Span {
      Objects.requireNonNull(until, "until");
      Objects.requireNonNull(took, "took");
    }
  }

  public Stages {
    spans = List.copyOf(spans);
  }

  /** Spans of one pod. A clock that went back makes a span of zero, never a negative one. */
  public static Stages of(Map<Moment, Instant> moments) {
    var ordered = new EnumMap<Moment, Instant>(Moment.class);
    ordered.putAll(moments);
    var spans = new ArrayList<Span>();
    Instant reached = null;
    for (var entry : ordered.entrySet()) {
      var at = entry.getValue();
      if (reached != null) {
        var took = Duration.between(reached, at);
        spans.add(new Span(entry.getKey(), took.isNegative() ? Duration.ZERO : took));
      }
      reached = reached == null || at.isAfter(reached) ? at : reached;
    }
    return new Stages(spans);
  }

  /**
   * Spans of a group: it begins with the first exit anybody saw, and is at a moment when its last
   * pod is. Its programs work together: it has an output and is back when the first of them is.
   */
  public static Stages ofGroup(Collection<Map<Moment, Instant>> pods) {
    return of(groupMoments(pods));
  }

  /** The moments of a group, as {@link #ofGroup} takes them. */
  public static Map<Moment, Instant> groupMoments(Collection<Map<Moment, Instant>> pods) {
    var group = new EnumMap<Moment, Instant>(Moment.class);
    for (var moments : pods) {
      moments.forEach((moment, at) ->
          group.merge(moment, at, (a, b) -> isFirstWanted(moment) == a.isBefore(b) ? a : b));
    }
    return group;
  }

  private static boolean isFirstWanted(Moment moment) {
    return switch (moment) {
      case LAST_SIGN, FOUND_HANGING, EXIT_SEEN, FIRST_OUTPUT, CAUGHT_UP -> true;
      case NOTICED, STOPPED, REMOVED, AT_BARRIER, LIFTED, RUNNING -> false;
    };
  }

  /** From the first moment to the last. */
  public Duration total() {
    return spans.stream().map(Span::took).reduce(Duration.ZERO, Duration::plus);
  }
}
