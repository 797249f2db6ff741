package dev.regroup.cli.run;

import dev.regroup.api.tree.Owner;
import dev.regroup.rules.jobset.JobSetStatus;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerState;
import dev.regroup.rules.pod.ContainerStatus;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.PodCondition;
import dev.regroup.rules.progress.RestartCost;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Makes a {@link RunView} of what a run knows. Pure. */
final class RunViews {

  private RunViews() {}

  static RunView of(RunProgress progress, int maxRestarts, Instant began, Instant now) {
    var facts = RestartFact.of(progress);
    var underWay = progress.underWay();
    var culprits =
        underWay.stream().map(RunProgress.GroupRestart::culprit).collect(Collectors.toSet());
    int attempt =
        progress.groups().values().stream().mapToInt(status -> attempt(status)).max().orElse(-1);
    return new RunView(
        title(progress),
        progress.result(),
        began,
        attempt,
        maxRestarts,
        RunReport.goodput(progress, costs(facts, underWay, now), began, now),
        RunReport.step(progress),
        workers(progress, culprits),
        underWay.stream()
            .findFirst()
            .map(one -> new RunView.UnderWay(one.attempt(), one.startedAt(), one.cause())),
        told(facts, progress),
        progress.troubled());
  }

  /** What is under way costs, too. */
  private static List<RestartCost> costs(
      List<RestartFact> facts, List<RunProgress.GroupRestart> underWay, Instant now) {
    var costs = new ArrayList<>(facts.stream().map(RestartFact::cost).toList());
    for (var one : underWay) {
      costs.add(RestartCost.of(List.of(), one.startedAt(), now));
    }
    return costs;
  }

  private static int attempt(JobSetStatus status) {
    return status.group().barrier().current().orElse(-1);
  }

  private static String title(RunProgress progress) {
    var names =
        progress.workloads().keySet().stream()
            .map(key -> key.substring(key.lastIndexOf('/') + 1))
            .toList();
    return names.size() == 1
        ? names.getFirst()
        : names.isEmpty() ? "" : names.getFirst() + " and " + (names.size() - 1) + " more";
  }

  private static List<RunView.Told> told(List<RestartFact> facts, RunProgress progress) {
    int inPlace =
        (int) facts.stream().filter(one -> one.kind() == RestartFact.Kind.IN_PLACE).count();
    int number = progress.counts().forgotten(inPlace);
    var told = new ArrayList<RunView.Told>();
    for (var fact : facts) {
      var cost = fact.cost();
      var back = cost.back();
      told.add(
          new RunView.Told(
              ++number,
              cost.began(),
              cost.down(),
              back == null ? null : Duration.between(cost.works(), back),
              fact.cause()));
    }
    return told;
  }

  private static List<RunView.Worker> workers(RunProgress progress, Set<String> culprits) {
    var pods =
        progress.livePods().stream()
            .filter(pod -> progress.workloads().containsKey(pod.workload()))
            .filter(pod -> !pod.isDeleted() || !pod.status().phase().isTerminal())
            .sorted(
                Comparator.comparing(FollowedPod::workload)
                    .thenComparing(pod -> jobName(pod))
                    .thenComparingInt(pod -> pod.rank().orElse(0))
                    .thenComparing(FollowedPod::name))
            .toList();
    var workers = new ArrayList<RunView.Worker>();
    for (int i = 0; i < pods.size(); i++) {
      var pod = pods.get(i);
      workers.add(
          new RunView.Worker(
              pod.shortName(), pod.name(), i, sign(pod, culprits.contains(pod.name()))));
    }
    return workers;
  }

  private static String jobName(FollowedPod pod) {
    return pod.owner().map(Owner::name).orElse("");
  }

  private static RunView.Sign sign(FollowedPod pod, boolean culprit) {
    var status = pod.status();
    if (status.phase() == Phase.SUCCEEDED) {
      return RunView.Sign.DONE;
    }
    if (status.phase() == Phase.FAILED) {
      return RunView.Sign.CULPRIT;
    }
    boolean unschedulable =
        status.conditions().stream()
            .anyMatch(condition -> condition.reason().equals("Unschedulable"));
    if (unschedulable) {
      return RunView.Sign.UNSCHEDULABLE;
    }
    if (status.isTrue(PodCondition.Type.ALL_CONTAINERS_RESTARTING)) {
      return culprit ? RunView.Sign.CULPRIT : RunView.Sign.STOPPING;
    }
    var regular =
        status.containers().stream()
            .filter(one -> one.kind() == ContainerKind.REGULAR)
            .map(ContainerStatus::state)
            .toList();
    if (regular.stream().anyMatch(RunViews::isAtBarrier)) {
      return RunView.Sign.AT_BARRIER;
    }
    if (regular.stream()
        .anyMatch(state -> state instanceof ContainerState.Terminated end && end.exitCode() != 0)) {
      return RunView.Sign.CULPRIT;
    }
    boolean runs =
        !regular.isEmpty()
            && regular.stream().anyMatch(ContainerState.Running.class::isInstance)
            && regular.stream().noneMatch(ContainerState.Waiting.class::isInstance);
    return runs ? RunView.Sign.RUNNING : RunView.Sign.STARTING;
  }

  private static boolean isAtBarrier(ContainerState state) {
    return state instanceof ContainerState.Waiting(String reason, _)
        && reason.equals("WaitingForBarrier");
  }
}
