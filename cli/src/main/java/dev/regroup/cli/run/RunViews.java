package dev.regroup.cli.run;

import dev.regroup.rules.jobset.JobSetStatus;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerState;
import dev.regroup.rules.pod.ContainerStatus;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.PodCondition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Makes a {@link RunView} of what a run knows. Pure. */
final class RunViews {

  private RunViews() {}

  /**
   * The view at this moment.
   *
   * @param lastLines the last output of an instance of a container
   */
  static RunView of(
      RunProgress progress,
      int maxRestarts,
      Instant began,
      Instant now,
      Function<ContainerId, List<String>> lastLines) {
    var facts = RestartFact.of(progress, now);
    var underWay = progress.underWay();
    var restart =
        Stream.concat(
                underWay.stream().map(one -> underWay(one, progress, lastLines)),
                facts.stream()
                    .filter(fact -> !fact.settled())
                    .map(fact -> lifted(fact, progress, lastLines)))
            .findFirst();
    var culprits =
        restart.stream()
            .map(one -> one.blame().pod())
            .filter(pod -> !pod.isEmpty())
            .collect(Collectors.toSet());
    int attempt =
        progress.groups().values().stream().mapToInt(status -> attempt(status)).max().orElse(-1);
    return new RunView(
        title(progress),
        progress.result(),
        began,
        attempt,
        maxRestarts,
        RunReport.goodput(progress, RunReport.costs(facts, underWay, now), began, now),
        RunReport.step(progress),
        workers(progress, culprits),
        restart,
        told(facts, progress, lastLines),
        progress.troubled());
  }

  private static RunView.UnderWay underWay(
      RunProgress.GroupRestart one,
      RunProgress progress,
      Function<ContainerId, List<String>> lastLines) {
    var blame = blame(one.cause(), one.culprit(), progress, lastLines.apply(one.instance()));
    return new RunView.UnderWay(RunView.Stage.HELD_BACK, one.attempt(), one.startedAt(), blame);
  }

  private static RunView.UnderWay lifted(
      RestartFact fact, RunProgress progress, Function<ContainerId, List<String>> lastLines) {
    var blame = blame(fact.cause(), fact.culprit(), progress, lastLines.apply(fact.instance()));
    var stage =
        fact.kind() == RestartFact.Kind.RECREATION
            ? RunView.Stage.MADE_ANEW
            : RunView.Stage.PAST_BARRIER;
    return new RunView.UnderWay(stage, fact.attempt(), fact.cost().began(), blame);
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

  private static List<ContainerStatus> regular(FollowedPod pod) {
    return pod.status().containers().stream()
        .filter(one -> one.kind() == ContainerKind.REGULAR)
        .toList();
  }

  private static RunView.Blame blame(
      String cause, String pod, RunProgress progress, List<String> lines) {
    String deed = cause.startsWith(pod + ": ") ? cause.substring(pod.length() + 2) : cause;
    String only =
        progress.livePods().stream()
            .filter(one -> one.name().equals(pod))
            .map(one -> regular(one))
            .filter(regular -> regular.size() == 1)
            .map(regular -> "container %s ".formatted(regular.getFirst().name()))
            .findFirst()
            .orElse("");
    return new RunView.Blame(
        cause,
        pod,
        deed.startsWith(only) ? deed.substring(only.length()) : deed,
        lines.isEmpty() ? "" : lines.getLast().strip());
  }

  private static List<RunView.Told> told(
      List<RestartFact> facts,
      RunProgress progress,
      Function<ContainerId, List<String>> lastLines) {
    int inPlace =
        (int) facts.stream().filter(one -> one.kind() == RestartFact.Kind.IN_PLACE).count();
    int number = progress.counts().forgotten(inPlace);
    var told = new ArrayList<RunView.Told>();
    for (var fact : facts) {
      if (!fact.settled()) {
        continue; // it is the one under way
      }
      var cost = fact.cost();
      var back = cost.back();
      told.add(
          new RunView.Told(
              ++number,
              cost.began(),
              cost.down(),
              back == null ? null : Duration.between(cost.works(), back),
              blame(fact.cause(), fact.culprit(), progress, lastLines.apply(fact.instance()))));
    }
    return told;
  }

  private static List<RunView.Worker> workers(RunProgress progress, Set<String> culprits) {
    var pods =
        progress.livePods().stream()
            .filter(pod -> progress.workloads().containsKey(pod.workload()))
            .filter(pod -> !pod.isDeleted() || !pod.status().phase().isTerminal())
            .sorted(FollowedPod.IN_ORDER)
            .toList();
    Map<String, Integer> ordered =
        progress.underWay().stream()
            .collect(
                Collectors.toMap(
                    RunProgress.GroupRestart::workload, RunProgress.GroupRestart::attempt));
    var workers = new ArrayList<RunView.Worker>();
    for (int i = 0; i < pods.size(); i++) {
      var pod = pods.get(i);
      boolean culprit = culprits.contains(pod.name());
      var sign = sign(pod, ordered.getOrDefault(pod.workload(), 0));
      boolean follower = // it fell with the culprit, and that is who should be seen
          sign == RunView.Sign.CULPRIT
              && !culprit
              && !culprits.isEmpty()
              && pod.status().phase() != Phase.FAILED;
      workers.add(
          new RunView.Worker(
              pod.shortName(), pod.name(), i, follower ? RunView.Sign.STOPPING : sign, culprit));
    }
    return workers;
  }

  /** Whether it has yet to run, as far as it tells. */
  static boolean isToStart(FollowedPod pod) {
    return switch (sign(pod)) {
      case STARTING, AT_BARRIER, STOPPING -> true;
      case RUNNING, CULPRIT, UNSCHEDULABLE, DONE -> false;
    };
  }

  /** One that has yet to leave the barrier of the attempt before does not wait at this one. */
  private static RunView.Sign sign(FollowedPod pod, int ordered) {
    var sign = sign(pod);
    return sign == RunView.Sign.AT_BARRIER && pod.status().attempt().orElse(ordered) < ordered
        ? RunView.Sign.STOPPING
        : sign;
  }

  private static RunView.Sign sign(FollowedPod pod) {
    var status = pod.status();
    if (status.phase() == Phase.SUCCEEDED) {
      return RunView.Sign.DONE;
    }
    if (status.phase() == Phase.FAILED) {
      return RunView.Sign.CULPRIT;
    }
    if (pod.isDeleted()) {
      return RunView.Sign.STOPPING;
    }
    boolean unschedulable =
        status.conditions().stream()
            .anyMatch(condition -> condition.reason().equals("Unschedulable"));
    if (unschedulable) {
      return RunView.Sign.UNSCHEDULABLE;
    }
    if (status.isTrue(PodCondition.Type.ALL_CONTAINERS_RESTARTING)) {
      return RunView.Sign.STOPPING;
    }
    var regular = regular(pod).stream().map(ContainerStatus::state).toList();
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
