package dev.regroup.api.job;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.jobset.ExclusivePlace;
import java.util.Optional;

/** Reads what a pod says of its place under exclusive placement (JS-91). */
public final class PlacementReader {

  private PlacementReader() {}

  /** Whether admission of pods has anything to say about this one. */
  public static boolean isPlaced(JsonNode pod) {
    var metadata = pod.path("metadata");
    var annotations = metadata.path("annotations");
    return Trees.has(metadata, "labels", JobSetKeys.JOBSET_NAME)
        && Trees.has(annotations, JobSetKeys.JOBSET_NAME)
        && !Trees.has(annotations, JobSetKeys.NODE_SELECTOR);
  }

  /** Empty for a pod that nobody keeps others away from. */
  public static Optional<ExclusivePlace> read(JsonNode pod) {
    var annotations = pod.path("metadata").path("annotations");
    String topology = Trees.text(annotations, JobSetKeys.EXCLUSIVE_TOPOLOGY);
    if (topology.isEmpty() || !isPlaced(pod)) {
      return Optional.empty();
    }
    var role =
        Trees.text(annotations, JobKeys.COMPLETION_INDEX).equals("0")
            ? ExclusivePlace.Role.LEADER
            : ExclusivePlace.Role.FOLLOWER;
    return Optional.of(
        new ExclusivePlace(role, topology, Trees.text(pod, "spec", "nodeSelector", topology)));
  }
}
