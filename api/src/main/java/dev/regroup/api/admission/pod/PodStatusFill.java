package dev.regroup.api.admission.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a written pod status need not say: the server takes it from the one before, or from another
 * field that says the same. Pure; the new status is changed in place.
 */
final class PodStatusFill {

  private static final List<String> CONTAINERS =
      List.of("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses");
  private static final String SEEN = "observedGeneration";

  private PodStatusFill() {}

  static void fill(ObjectNode status, ObjectNode old) {
    if (Trees.text(status, "qosClass").isEmpty()) {
      Trees.carry(old, status, "qosClass");
    }
    if (Trees.text(status, "phase").isEmpty()) {
      status.remove("phase");
    }
    addresses(status);
    generations(status, old);
    for (String list : CONTAINERS) {
      for (ObjectNode container : Trees.objects(status, list)) {
        Trees.child(container, "state");
        Trees.child(container, "lastState");
        Trees.fill(container, "ready", false);
        Trees.fill(container, "restartCount", 0);
        Trees.fill(container, "image", "");
        Trees.fill(container, "imageID", "");
      }
    }
  }

  /** Where the single address and the list differ, the single one counts. */
  private static void addresses(ObjectNode status) {
    String single = Trees.text(status, "podIP");
    String first = Trees.text(status.path("podIPs").path(0), "ip");
    if (single.isEmpty()) {
      if (!first.isEmpty()) {
        status.put("podIP", first);
      }
    } else if (!single.equals(first)) {
      status.putArray("podIPs").addObject().put("ip", single);
    }
  }

  /** Nobody forgets which generation was seen. */
  private static void generations(ObjectNode status, ObjectNode old) {
    keepSeen(status, old.path(SEEN));
    Map<String, Deque<JsonNode>> before = new HashMap<>();
    for (JsonNode condition : old.path("conditions")) {
      before
          .computeIfAbsent(Trees.text(condition, "type"), _ -> new ArrayDeque<>())
          .add(condition.path(SEEN));
    }
    for (ObjectNode condition : Trees.objects(status, "conditions")) {
      var earlier = before.get(Trees.text(condition, "type"));
      if (earlier != null && !earlier.isEmpty()) {
        keepSeen(condition, earlier.remove());
      }
    }
  }

  private static void keepSeen(ObjectNode part, JsonNode earlier) {
    if (part.path(SEEN).asLong(0) != 0) {
      return;
    }
    if (earlier.asLong(0) == 0) {
      part.remove(SEEN);
    } else {
      part.set(SEEN, earlier);
    }
  }
}
