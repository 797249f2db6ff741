package dev.regroup.sim;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.sim.api.Stored;
import java.util.List;

/** Words for the steps of a world. */
final class Wording {

  private Wording() {}

  /** One line about a pod. */
  static String of(Stored pod) {
    return "  %s is %s at %d%s, %s"
        .formatted(
            pod.name(),
            Judge.phase(pod),
            Judge.attempt(pod),
            pod.deleting() ? ", deleted" : "",
            states(pod));
  }

  static String states(Stored pod) {
    var text = new StringBuilder();
    for (var list : List.of("initContainerStatuses", "containerStatuses")) {
      for (var one : pod.tree().path("status").path(list)) {
        text.append(one.path("name").asText()).append(' ');
        text.append(one.path("restartCount").asInt()).append(' ').append(state(one.path("state")));
      }
    }
    return text.toString();
  }

  private static String state(JsonNode state) {
    if (state.has("waiting")) {
      return "waits (" + state.path("waiting").path("reason").asText() + "); ";
    }
    return state.has("running")
        ? "runs; "
        : "ended " + state.path("terminated").path("exitCode").asInt() + "; ";
  }
}
