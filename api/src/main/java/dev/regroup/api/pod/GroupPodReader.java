package dev.regroup.api.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.RestartPolicy;
import dev.regroup.rules.RuleGate;
import dev.regroup.rules.group.AttemptReport;
import dev.regroup.rules.group.ContainerTerms;
import dev.regroup.rules.group.ContainerTerms.Kind;
import dev.regroup.rules.group.GroupPod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads a pod as its group sees it (JS-38, JS-160). Policies and rules are read as the node reads
 * them and judged under its gates, once per revision. Never throws: what cannot be read is absent.
 */
public final class GroupPodReader {

  /** Where a container's spec and its status stand. */
  private record Lists(String specs, String statuses) {
    static final Lists INIT = new Lists("initContainers", "initContainerStatuses");
    static final Lists REGULAR = new Lists("containers", "containerStatuses");
  }

  private final Set<RuleGate> gates;

  public GroupPodReader(Set<RuleGate> gates) {
    this.gates = Set.copyOf(gates);
  }

  /** Empty for a pod without the label of a JobSet. */
  public Optional<GroupPod> read(ObjectNode pod) {
    return Trees.textIfPresent(pod, "metadata", "labels", JobSetKeys.JOBSET_NAME)
        .map(jobSet -> read(jobSet, pod));
  }

  private GroupPod read(String jobSet, ObjectNode pod) {
    var metadata = pod.path("metadata");
    var status = pod.path("status");
    var deletion = Trees.time(metadata, "deletionTimestamp");
    long grace = Trees.integer(metadata, "deletionGracePeriodSeconds").orElse(0);
    return new GroupPod(
        jobSet,
        report(metadata.path("annotations")),
        Trees.text(metadata, "annotations", JobSetKeys.INJECT_AGENT).equals("node")
            ? GroupPod.Agent.NODE
            : GroupPod.Agent.OTHER,
        end(Trees.text(status, "phase")),
        Trees.has(metadata, "deletionTimestamp"),
        deletion == null ? null : deletion.minus(Duration.ofSeconds(grace)),
        condition(status, "DisruptionTarget").filter(GroupPodReader::isTrue).isPresent(),
        restarting(status),
        containers(pod));
  }

  private static AttemptReport report(JsonNode annotations) {
    return AttemptReport.read(
        Trees.textIfPresent(annotations, JobSetKeys.IN_PLACE_RESTART_ATTEMPT).orElse(null),
        Trees.textIfPresent(annotations, JobSetKeys.EPOCH).orElse(null));
  }

  private static GroupPod.End end(String phase) {
    return switch (phase) {
      case "Succeeded" -> GroupPod.End.SUCCEEDED;
      case "Failed" -> GroupPod.End.FAILED;
      default -> GroupPod.End.NONE;
    };
  }

  /** The draft's name is read as equal (node.md CND-11). */
  private static Optional<GroupPod.Restarting> restarting(JsonNode status) {
    return condition(status, "AllContainersRestarting")
        .or(() -> condition(status, "PodRestartInPlace"))
        .filter(GroupPodReader::isTrue)
        .map(one ->
            new GroupPod.Restarting(
                Trees.time(one, "lastTransitionTime"), Trees.text(one, "message")));
  }

  private static Optional<ObjectNode> condition(JsonNode status, String type) {
    return Trees.objects(status, "conditions").stream()
        .filter(one -> Trees.text(one, "type").equals(type))
        .findFirst();
  }

  private static boolean isTrue(JsonNode condition) {
    return Trees.text(condition, "status").equals("True");
  }

  private List<GroupPod.Container> containers(ObjectNode pod) {
    var policy = RestartFields.podPolicy(pod.path("spec"));
    var names = new ArrayList<String>();
    var terms = new ArrayList<ContainerTerms>();
    var shown = new ArrayList<ContainerTerms.Shown>();
    for (var lists : List.of(Lists.INIT, Lists.REGULAR)) {
      for (var spec : Trees.objects(pod, "spec", lists.specs())) {
        var name = Trees.text(spec, "name");
        names.add(name);
        terms.add(terms(kind(spec, lists), policy, spec));
        shown.add(shown(status(pod, lists, name)));
      }
    }
    var roles = ContainerTerms.roles(terms);
    var containers = new ArrayList<GroupPod.Container>();
    for (int i = 0; i < terms.size(); i++) {
      containers.add(terms.get(i).judge(names.get(i), roles.get(i), shown.get(i)));
    }
    return containers;
  }

  private static Kind kind(ObjectNode spec, Lists lists) {
    if (lists.equals(Lists.REGULAR)) {
      return AgentMarks.runsWorker(spec) ? Kind.AGENT_AND_WORKER : Kind.REGULAR;
    }
    if (AgentMarks.isSidecarAgent(spec)) {
      return Kind.AGENT;
    }
    return RestartFields.isSidecar(spec) ? Kind.SIDECAR : Kind.INIT;
  }

  private ContainerTerms terms(Kind kind, RestartPolicy podPolicy, ObjectNode spec) {
    return new ContainerTerms(
        kind, gates, podPolicy, RestartFields.ownPolicy(spec), RestartFields.rules(spec));
  }

  private static JsonNode status(ObjectNode pod, Lists lists, String name) {
    for (var status : Trees.objects(pod, "status", lists.statuses())) {
      if (Trees.text(status, "name").equals(name)) {
        return status;
      }
    }
    return MissingNode.getInstance();
  }

  private static ContainerTerms.Shown shown(JsonNode status) {
    return new ContainerTerms.Shown(
        Trees.integer(status, "restartCount").orElse(0),
        status.path("state").path("running").isObject(),
        ended(status.path("state").path("terminated")),
        ended(status.path("lastState").path("terminated")),
        Trees.text(status, "state", "waiting", "reason"));
  }

  private static Optional<ContainerTerms.End> ended(JsonNode terminated) {
    return terminated.isObject()
        ? Optional.of(
            new ContainerTerms.End(
                Trees.integer(terminated, "exitCode").orElse(0),
                Trees.text(terminated, "reason"),
                Trees.text(terminated, "message"),
                Trees.time(terminated, "finishedAt")))
        : Optional.empty();
  }
}
