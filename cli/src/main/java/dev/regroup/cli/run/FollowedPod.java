package dev.regroup.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.pod.RestartHistories;
import dev.regroup.api.pod.StatusReader;
import dev.regroup.api.tree.Owner;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.pod.PodStatus;
import dev.regroup.rules.pod.RestartHistory;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A pod of a run, read once per change.
 *
 * @param owner who controls it
 * @param isDeleted whether its deletion was asked for
 */
record FollowedPod(
    String namespace,
    String name,
    String uid,
    String workload,
    Optional<Owner> owner,
    boolean isDeleted,
    FailureHistory.Round round,
    PodStatus status,
    RestartHistory restarts,
    JsonNode wire) {

  /** What is known of a pod before it is seen. */
  static final FollowedPod NONE = of(MissingNode.getInstance());

  static FollowedPod of(JsonNode pod) {
    var metadata = pod.path("metadata");
    var status = StatusReader.read(pod);
    var generation = Trees.map(metadata, "labels").get(JobSetKeys.RESTART_ATTEMPT);
    return new FollowedPod(
        Trees.text(metadata, "namespace"),
        Trees.text(metadata, "name"),
        Trees.text(metadata, "uid"),
        Workload.of(pod),
        Owner.controller(pod),
        Trees.has(metadata, "deletionTimestamp"),
        new FailureHistory.Round(Trees.decimal(generation).orElse(0), status.attempt().orElse(0)),
        status,
        RestartHistories.read(metadata.path("annotations")),
        pod);
  }

  String key() {
    return Workload.key("Pod", namespace, name);
  }

  /** What people call it: without the letters that only make its name unique. */
  String shortName() {
    return Trees.textIfPresent(wire, "spec", "hostname").orElse(name);
  }

  /** Its place in its Job, where that is indexed. */
  OptionalInt rank() {
    return Trees.decimal(
        Trees.map(wire, "metadata", "annotations").get("batch.kubernetes.io/job-completion-index"));
  }

  String title() {
    return "pod/" + name;
  }
}
