package dev.regroup.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Owner;

/** What an object of a run belongs to: the outermost JobSet, Job or Pod. */
final class Workload {

  private Workload() {}

  /** The key of a pod's or Job's workload, such as {@code JobSet/default/training}. */
  static String of(JsonNode object) {
    var metadata = object.path("metadata");
    String namespace = metadata.path("namespace").asText();
    String jobSet = metadata.path("labels").path(JobSetKeys.JOBSET_NAME).asText("");
    if (!jobSet.isEmpty()) {
      return key("JobSet", namespace, jobSet);
    }
    return Owner.controller(object)
        .map(owner -> key(owner.kind(), namespace, owner.name()))
        .orElseGet(() -> key(object));
  }

  static String key(JsonNode object) {
    var metadata = object.path("metadata");
    return key(
        object.path("kind").asText(),
        metadata.path("namespace").asText(),
        metadata.path("name").asText());
  }

  static String key(String kind, String namespace, String name) {
    return kind + "/" + namespace + "/" + name;
  }
}
