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
 */
public record PodReport(ObjectNode status, Map<String, String> annotations, String mustSee) {
  public PodReport {
    annotations = Map.copyOf(annotations);
  }
}
