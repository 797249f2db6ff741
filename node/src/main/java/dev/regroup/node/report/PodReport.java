package dev.regroup.node.report;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/**
 * One state of a pod as the API should show it.
 *
 * @param status the whole {@code status}; the receiver must not change it
 * @param annotations the node's own annotations, written in the same patch (JS-165)
 * @param mustSee equal for states of which only the newest matters; a change means that a watch has
 *     to see the state before and the state after (CND-10, phases, restart counts)
 * @param urgency whether somebody may wait for it
 */
public record PodReport(
    ObjectNode status, Map<String, String> annotations, String mustSee, Urgency urgency) {

  /** When to write it; the most urgent first. */
  public enum Urgency {
    AT_ONCE,
    /** It says that all goes well, so the starts of other pods come first. */
    AFTER_STARTS,
    /**
     * It differs in nothing a watch has to see, and leads to a state that does: may be left out.
     */
    IN_PASSING
  }

  public PodReport {
    annotations = Map.copyOf(annotations);
  }

  /** The same state in the place of one that was to be written by then. */
  PodReport asUrgentAs(PodReport other) {
    return other.urgency.compareTo(urgency) < 0
        ? new PodReport(status, annotations, mustSee, other.urgency)
        : this;
  }
}
