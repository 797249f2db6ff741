package dev.regroup.rules.pod.plan;

import dev.regroup.rules.ExitRule.Action;
import dev.regroup.rules.RestartPolicy;
import dev.regroup.rules.RestartReason;
import dev.regroup.rules.RuleGate;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.ContainerState.Running;
import dev.regroup.rules.pod.ContainerState.Terminated;
import dev.regroup.rules.pod.ContainerStatus;
import dev.regroup.rules.pod.NodeSettings.ConditionNames;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.PodCondition;
import dev.regroup.rules.pod.RestartCycle.Cause;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** The conditions the node owns (node.md 6.3 and 4.4). */
final class PodConditions {
  static final String NOT_READY = "ContainersNotReady";
  private static final String COMPLETED = "PodCompleted";
  private static final String FAILED = "PodFailed";

  private final View view;
  private final Phase phase;
  private final List<ContainerStatus> statuses;
  private final List<PodCondition> conditions = new ArrayList<>();

  private PodConditions(View view, Phase phase, List<ContainerStatus> statuses) {
    this.view = view;
    this.phase = phase;
    this.statuses = inOrderOfSpec(view, statuses);
  }

  /** Statuses are listed by name (STS-20); messages name containers as the manifest does. */
  private static List<ContainerStatus> inOrderOfSpec(View view, List<ContainerStatus> statuses) {
    var names = view.spec.containers().stream().map(ContainerSpec::name).toList();
    return statuses.stream()
        .sorted(Comparator.comparingInt(status -> names.indexOf(status.name())))
        .toList();
  }

  /**
   * All conditions.
   *
   * @param restarting whether phase one of a cycle is under way and the pod does not end
   */
  static List<PodCondition> of(
      View view, Phase phase, List<ContainerStatus> statuses, boolean restarting) {
    var all = new PodConditions(view, phase, statuses);
    all.restarting(restarting);
    all.sandbox();
    all.initialized();
    all.ready();
    all.add(PodCondition.Type.POD_SCHEDULED, PodCondition.Status.TRUE, "", "");
    return all.conditions;
  }

  private void add(
      PodCondition.Type type, PodCondition.Status status, String reason, String message) {
    Instant since =
        view.seen
            .previous()
            .condition(type)
            .filter(c -> c.status() == status)
            .map(PodCondition::lastTransition)
            .orElse(view.now);
    conditions.add(new PodCondition(type, status, reason, message, since));
  }

  /** CND-01 to CND-05. */
  private void restarting(boolean restarting) {
    if (!shown()) {
      return;
    }
    var cause = view.cycle.cause();
    var status = restarting ? PodCondition.Status.TRUE : PodCondition.Status.FALSE;
    var reason = restarting ? reason(cause) : endedReason();
    var message = restarting ? Events.why(cause) : "";
    add(PodCondition.Type.ALL_CONTAINERS_RESTARTING, status, reason, message);
    if (view.settings.conditionNames() == ConditionNames.BOTH) {
      add(PodCondition.Type.POD_RESTART_IN_PLACE, status, reason, message);
    }
  }

  private boolean shown() {
    if (!view.gate(RuleGate.RESTART_ALL_CONTAINERS)) {
      return false;
    }
    boolean everRestarted =
        !(view.cycle.cause() instanceof Cause.None)
            || !view.cycle.requestId().isEmpty()
            || view.cycle.terminating();
    return everRestarted || view.spec.containers().stream().anyMatch(PodConditions::hasRule);
  }

  private static boolean hasRule(ContainerSpec spec) {
    return spec.ownPolicy() != RestartPolicy.INHERIT
        && spec.rules().stream().anyMatch(r -> r.action() == Action.RESTART_ALL_CONTAINERS);
  }

  private static String reason(Cause cause) {
    return switch (cause) {
      case Cause.None _, Cause.Exited _ -> RestartReason.CONTAINER_EXITED.wireName();
      case Cause.GroupOrder _ -> RestartReason.GROUP_RESTART.wireName();
      case Cause.Requested _ -> RestartReason.REQUESTED.wireName();
    };
  }

  private String endedReason() {
    return switch (phase) {
      case SUCCEEDED -> COMPLETED;
      case FAILED -> FAILED;
      case PENDING, RUNNING -> "";
    };
  }

  private void sandbox() {
    boolean ready = view.seen.sandbox().isReady();
    add(
        PodCondition.Type.POD_READY_TO_START_CONTAINERS,
        ready ? PodCondition.Status.TRUE : PodCondition.Status.FALSE,
        "",
        "");
  }

  /** STS-32; once True it stays so while containers restart in place (RAC-36). */
  private void initialized() {
    if (phase == Phase.SUCCEEDED) {
      add(PodCondition.Type.INITIALIZED, PodCondition.Status.TRUE, COMPLETED, "");
      return;
    }
    boolean regularRan =
        statuses.stream()
            .filter(s -> s.kind() == ContainerKind.REGULAR)
            .anyMatch(s -> s.state() instanceof Running || endedItself(s));
    boolean sticky =
        view.gate(RuleGate.RESTART_ALL_CONTAINERS)
            && view.seen.previous().isTrue(PodCondition.Type.INITIALIZED);
    var incomplete =
        statuses.stream()
            .filter(s -> s.kind().isInitEntry() && !initDone(s))
            .map(ContainerStatus::name)
            .toList();
    if (regularRan || sticky || incomplete.isEmpty()) {
      add(PodCondition.Type.INITIALIZED, PodCondition.Status.TRUE, "", "");
      return;
    }
    add(
        PodCondition.Type.INITIALIZED,
        PodCondition.Status.FALSE,
        "ContainersNotInitialized",
        "containers with incomplete status: " + names(incomplete));
  }

  private static boolean endedItself(ContainerStatus status) {
    return status.state() instanceof Terminated ended
        && !ended.reason().equals(ContainerStatuses.UNKNOWN);
  }

  private boolean initDone(ContainerStatus status) {
    if (status.kind() == ContainerKind.INIT) {
      return status.ready();
    }
    return status.started() || completedByRule(status);
  }

  /** A sidecar that ended is as good as started only when a rule completed it (DEC-56). */
  private boolean completedByRule(ContainerStatus status) {
    return view.container(status.name())
        .flatMap(view::verdict)
        .filter(Verdict.Done.class::isInstance)
        .isPresent();
  }

  /** STS-30, STS-31. */
  private void ready() {
    if (phase.isTerminal()) {
      addReady(PodCondition.Status.FALSE, endedReason(), "");
      return;
    }
    var unready =
        statuses.stream()
            .filter(this::countsForReady)
            .filter(s -> !s.ready())
            .map(ContainerStatus::name)
            .toList();
    if (!unready.isEmpty()) {
      addReady(
          PodCondition.Status.FALSE,
          NOT_READY,
          "containers with unready status: " + names(unready));
      return;
    }
    add(PodCondition.Type.CONTAINERS_READY, PodCondition.Status.TRUE, "", "");
    var closed =
        view.spec.readinessGates().stream()
            .filter(gate -> !"True".equals(view.seen.conditions().get(gate)))
            .toList();
    if (closed.isEmpty()) {
      add(PodCondition.Type.READY, PodCondition.Status.TRUE, "", "");
    } else {
      add(
          PodCondition.Type.READY,
          PodCondition.Status.FALSE,
          "ReadinessGatesNotReady",
          gates(closed));
    }
  }

  private boolean countsForReady(ContainerStatus status) {
    return status.kind() == ContainerKind.SIDECAR || status.kind() == ContainerKind.REGULAR;
  }

  private void addReady(PodCondition.Status status, String reason, String message) {
    add(PodCondition.Type.CONTAINERS_READY, status, reason, message);
    add(PodCondition.Type.READY, status, reason, message);
  }

  private String gates(List<String> closed) {
    return closed.stream().map(this::gate).collect(Collectors.joining(", "));
  }

  private String gate(String closed) {
    var status = view.seen.conditions().get(closed);
    return status == null
        ? "corresponding condition of pod readiness gate \"%s\" does not exist.".formatted(closed)
        : "the status of pod readiness gate \"%s\" is not \"True\", but %s"
            .formatted(closed, status);
  }

  /** As Go prints a list. */
  private static String names(List<String> names) {
    return "[" + String.join(" ", names) + "]";
  }
}
