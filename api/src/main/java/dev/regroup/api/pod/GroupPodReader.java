package dev.regroup.api.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.RestartPolicy;
import dev.regroup.rules.RuleGate;
import dev.regroup.rules.group.AttemptReport;
import dev.regroup.rules.group.ContainerTerms;
import dev.regroup.rules.group.ContainerTerms.Kind;
import dev.regroup.rules.group.GroupPod;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerState;
import dev.regroup.rules.pod.ContainerStatus;
import dev.regroup.rules.progress.ProgramLife;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Reads a pod as its group sees it (JS-38, JS-160). Policies and rules are read as the node reads
 * them and judged under its gates, once per revision. Never throws: what cannot be read is absent.
 */
public final class GroupPodReader {

  /** The lists of a pod's spec. */
  private enum Specs {
    INIT("initContainers"),
    REGULAR("containers");

    private final String field;

    Specs(String field) {
      this.field = field;
    }

    /** Of two containers with one name only past validation. */
    boolean holds(ContainerStatus status) {
      return (status.kind() == ContainerKind.REGULAR) == (this == REGULAR);
    }
  }

  private final Set<RuleGate> gates;

  public GroupPodReader(Set<RuleGate> gates) {
    this.gates = Set.copyOf(gates);
  }

  /**
   * Empty for a pod without the label of a JobSet.
   *
   * @param statuses of its containers ({@link StatusReader#containers}), which others want as well
   */
  public Optional<GroupPod> read(ObjectNode pod, List<ContainerStatus> statuses) {
    return Trees.textIfPresent(pod, "metadata", "labels", JobSetKeys.JOBSET_NAME)
        .map(jobSet -> read(jobSet, pod, statuses));
  }

  private GroupPod read(String jobSet, ObjectNode pod, List<ContainerStatus> statuses) {
    var metadata = pod.path("metadata");
    var status = pod.path("status");
    return new GroupPod(
        jobSet,
        report(metadata.path("annotations")),
        Trees.text(metadata, "annotations", JobSetKeys.INJECT_AGENT).equals("node")
            ? GroupPod.Agent.NODE
            : GroupPod.Agent.OTHER,
        end(Trees.text(status, "phase")),
        Trees.has(metadata, "deletionTimestamp"),
        PodSpecs.deletedAt(pod).orElse(null),
        StatusReader.condition(status, "DisruptionTarget").filter(StatusReader::isTrue).isPresent(),
        restarting(status),
        containers(pod, statuses));
  }

  /** What a pod says about its attempt. */
  public static AttemptReport report(JsonNode annotations) {
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
    return StatusReader.condition(status, "AllContainersRestarting")
        .or(() -> StatusReader.condition(status, "PodRestartInPlace"))
        .filter(StatusReader::isTrue)
        .map(one ->
            new GroupPod.Restarting(
                Trees.time(one, "lastTransitionTime"), Trees.text(one, "message")));
  }

  private List<GroupPod.Container> containers(ObjectNode pod, List<ContainerStatus> statuses) {
    var policy = RestartFields.podPolicy(pod.path("spec"));
    var names = new ArrayList<String>();
    var terms = new ArrayList<ContainerTerms>();
    var shown = new ArrayList<ContainerTerms.Shown>();
    var life = RestartHistories.life(pod.path("metadata").path("annotations"));
    for (var list : Specs.values()) {
      for (var spec : Trees.objects(pod, "spec", list.field)) {
        var name = Trees.text(spec, "name");
        names.add(name);
        terms.add(terms(kind(spec, list), policy, spec));
        shown.add(shown(statuses, list, name, life));
      }
    }
    var roles = ContainerTerms.roles(terms);
    var containers = new ArrayList<GroupPod.Container>();
    for (int i = 0; i < terms.size(); i++) {
      containers.add(terms.get(i).judge(names.get(i), roles.get(i), shown.get(i)));
    }
    return containers;
  }

  private static Kind kind(ObjectNode spec, Specs list) {
    if (list == Specs.REGULAR) {
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

  private static ContainerTerms.Shown shown(
      List<ContainerStatus> statuses, Specs list, String name, ProgramLife life) {
    for (var status : statuses) {
      if (list.holds(status) && status.name().equals(name)) {
        return shown(status, life);
      }
    }
    return ContainerTerms.Shown.NOTHING;
  }

  private static ContainerTerms.Shown shown(ContainerStatus status, ProgramLife life) {
    return new ContainerTerms.Shown(
        status.restartCount(),
        status.state() instanceof ContainerState.Running,
        ended(status.state(), life),
        ended(status.lastState(), life),
        status.state() instanceof ContainerState.Waiting(String reason, _) ? reason : "");
  }

  /** Of several that ended in one second the first counts, so the time of one does for all. */
  private static Optional<ContainerTerms.End> ended(ContainerState state, ProgramLife life) {
    return state instanceof ContainerState.Terminated end
        ? Optional.of(
            new ContainerTerms.End(
                end.exitCode(),
                end.reason(),
                end.message(),
                end.finishedAt().equals(Instant.EPOCH) ? null : life.exactly(end.finishedAt())))
        : Optional.empty();
  }
}
