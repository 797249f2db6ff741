package dev.regroup.cli.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Trees;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ApiFailure;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Transport;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The report of a JobSet from what a cluster knows of it now: its status, and what its pods tell.
 * What went with pods that are gone is not in it.
 */
public final class ClusterReport {

  private final RunProgress progress = new RunProgress();
  private final RunReport.Circumstances around;

  private ClusterReport(JsonNode jobSet, List<ObjectNode> pods, Instant now) {
    progress.expect(
        "JobSet",
        Trees.text(jobSet, "metadata", "namespace"),
        Trees.text(jobSet, "metadata", "name"));
    pods.forEach(pod -> progress.changed(pod, now));
    progress.changed(jobSet, now);
    this.around = circumstances(progress, jobSet, now);
  }

  /**
   * From objects that are at hand.
   *
   * @param jobSet says its kind, as the pods do
   * @param pods all that carry its label
   */
  public static ClusterReport of(ObjectNode jobSet, List<ObjectNode> pods, Instant now) {
    return new ClusterReport(jobSet, pods, now);
  }

  /** As the file {@code report.json} has it. */
  public ObjectNode tree() {
    return RunReport.tree(progress, around);
  }

  /** The same moment as a picture: every worker with its sign, what is under way. */
  public RunView view() {
    return RunViews.of(
        progress, progress.maxRestarts(), around.began(), around.ended(), around.lastLines());
  }

  /** Empty if there is no such JobSet. */
  public static Optional<ObjectNode> of(Transport transport, ObjectKey key, Instant now)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    var client = new ApiClient(transport);
    var jobSet = client.get(Kinds.JOB_SETS, key);
    if (jobSet.isEmpty()) {
      return Optional.empty();
    }
    var pods =
        client
            .list(
                Kinds.PODS,
                ListQuery.in(key.namespace()).withLabels(JobSetKeys.JOBSET_NAME + "=" + key.name()))
            .items();
    pods.forEach(pod -> kind(pod, "Pod"));
    return Optional.of(of(kind(jobSet.get(), "JobSet"), pods, now).tree());
  }

  private static RunReport.Circumstances circumstances(
      RunProgress progress, JsonNode jobSet, Instant now) {
    var created = Trees.time(jobSet, "metadata", "creationTimestamp");
    var result = progress.result();
    var ended = ended(jobSet).filter(_ -> result.isPresent()).orElse(now);
    return new RunReport.Circumstances(
        result
            .map(one -> one == RunProgress.Result.SUCCEEDED ? "succeeded" : "failed")
            .orElse("running"),
        created == null ? now : created,
        ended,
        result.isEmpty()
            ? progress.troubled()
            : progress.culprits().stream().map(line -> "because of " + line).toList(),
        List.of(),
        _ -> List.of());
  }

  private static Optional<Instant> ended(JsonNode jobSet) {
    return Trees.objects(jobSet, "status", "conditions").stream()
        .filter(condition -> Trees.text(condition, "status").equals("True"))
        .filter(condition -> List.of("Completed", "Failed").contains(Trees.text(condition, "type")))
        .map(condition -> Trees.time(condition, "lastTransitionTime"))
        .filter(Objects::nonNull)
        .findFirst();
  }

  /** Items of a list do not say what they are. */
  private static ObjectNode kind(ObjectNode object, String kind) {
    return object.put("kind", kind);
  }
}
