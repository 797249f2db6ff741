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
import java.util.Comparator;
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

  /**
   * How workers are counted, in every view: as the ranks of a group (docs/containers.md), through
   * its Jobs in the order of the JobSet.
   */
  static final Comparator<FollowedPod> IN_ORDER =
      Comparator.comparing(FollowedPod::workload)
          .thenComparingInt(FollowedPod::jobIndex)
          .thenComparing(pod -> pod.owner().map(Owner::name).orElse(""))
          .thenComparingInt(pod -> pod.rank().orElse(0))
          .thenComparing(FollowedPod::name);

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

  /** The place of its Job among all Jobs of its JobSet. */
  private int jobIndex() {
    return Trees.decimal(Trees.map(wire, "metadata", "labels").get(JobSetKeys.JOB_GLOBAL_INDEX))
        .orElse(0);
  }

  String title() {
    return "pod/" + name;
  }
}
