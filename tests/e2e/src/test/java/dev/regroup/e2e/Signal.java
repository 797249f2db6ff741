package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.JOB_SETS;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * One write of a JobSet that changed what agents read.
 *
 * @param text previous/current
 */
record Signal(long revision, String text) {

  /** Every revision of the JobSet from this one to the present one, both included. */
  static List<JsonNode> history(Kube kube, String jobSet, JsonNode from)
      throws IOException, InterruptedException {
    var objects = new ArrayList<JsonNode>(List.of(from));
    objects.addAll(
        kube.history(
            JOB_SETS,
            "fieldSelector=metadata.name%3D" + jobSet,
            Kube.revision(from),
            Kube.revision(kube.get(JOB_SETS + "/" + jobSet))));
    return objects;
  }

  /** Those after the first revision of the history. */
  static List<Signal> in(List<JsonNode> history) {
    var found = new ArrayList<Signal>();
    String last = text(history.getFirst());
    for (JsonNode object : history.subList(1, history.size())) {
      String now = text(object);
      if (!now.equals(last)) {
        found.add(new Signal(Kube.revision(object), now));
        last = now;
      }
    }
    return found;
  }

  private static String text(JsonNode jobSet) {
    var status = jobSet.path("status");
    return status.path("previousInPlaceRestartAttempt").asText("-")
        + "/"
        + status.path("currentInPlaceRestartAttempt").asText("-");
  }
}
