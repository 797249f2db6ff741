package dev.regroup.control.jobset;

import dev.regroup.control.pods.GroupPod;
import dev.regroup.control.pods.PodView;
import dev.regroup.rules.group.PodReading;
import dev.regroup.rules.group.Report;
import dev.regroup.rules.group.Sign;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Reads signs of failure from pods (JS-160) and remembers, per pod, the restart counts its attempt
 * began with. Belongs to the group that owns it. The memory is an accelerator: without it a failure
 * shows when the pod's agent comes back (JS-142).
 */
final class SignReader {

  private record Baseline(int attempt, Map<String, Integer> counts) {}

  /**
   * What a reading depends on beside the pod.
   *
   * @param current the running attempt
   * @param liftedAt when it began; signs of other agents' pods that are older are old news
   */
  record Situation(OptionalInt current, @Nullable Instant liftedAt, NodeState node, JobState job) {}

  enum NodeState {
    REACHABLE,
    UNREACHABLE
  }

  enum JobState {
    RUNNING,
    /** Its pods end because it has failed: the failure policy decides about that (JS-148). */
    FAILING
  }

  private final Map<String, Baseline> running = new HashMap<>();
  private final Map<String, Map<String, Integer>> inits = new HashMap<>();

  void forget(String uid) {
    running.remove(uid);
    inits.remove(uid);
  }

  PodReading read(String jobName, PodView view, Situation now) {
    var pod = view.group().orElseThrow();
    var job = view.job();
    var attempt =
        pod.report() instanceof Report.At(int number)
            ? OptionalInt.of(number)
            : OptionalInt.empty();
    boolean atCurrent = attempt.isPresent() && attempt.equals(now.current());
    var life =
        pod.succeeded()
            ? PodReading.Life.SUCCEEDED
            : pod.failed() || pod.deleting() ? PodReading.Life.DEAD : PodReading.Life.LIVE;
    var sign = life == PodReading.Life.SUCCEEDED ? null : sign(view, pod, now, atCurrent);
    boolean agentRuns =
        pod.nodeAgent()
            || pod.containers().stream()
                .anyMatch(one -> one.role() == GroupPod.Role.AGENT && one.running());
    return new PodReading(
        job.uid(),
        job.name(),
        jobName,
        job.index(),
        pod.report(),
        life,
        now.job() == JobState.FAILING ? null : sign,
        runaway(job.uid(), pod, attempt, now),
        agentRuns && job.phase() == dev.regroup.rules.job.JobPod.Phase.RUNNING);
  }

  private @Nullable Sign sign(PodView view, GroupPod pod, Situation now, boolean atCurrent) {
    var name = view.job().name();
    var ended = firstFailed(pod, GroupPod.Role.WORKER);
    if (pod.failed()) {
      return ended
          .map(one -> exit(Sign.Kind.POD_FAILED, name, one))
          .orElseGet(() -> Sign.of(Sign.Kind.POD_FAILED, name));
    }
    if (pod.deleting()) {
      return Sign.of(Sign.Kind.POD_DELETED, name);
    }
    if (pod.disrupted()) {
      return Sign.of(Sign.Kind.POD_DISRUPTED, name);
    }
    if (now.node() == NodeState.UNREACHABLE && !view.job().ready()) {
      return Sign.of(Sign.Kind.NODE_UNREACHABLE, name);
    }
    if (pod.restarting() && news(pod, pod.restartingSince(), now, atCurrent)) {
      return ended
          .or(() -> firstFailed(pod, GroupPod.Role.AGENT))
          .map(one -> exit(Sign.Kind.ALL_CONTAINERS_RESTARTING, name, one))
          .orElseGet(() -> Sign.of(Sign.Kind.ALL_CONTAINERS_RESTARTING, name));
    }
    if (ended.isPresent() && news(pod, at(ended.get()), now, atCurrent)) {
      return exit(Sign.Kind.WORKER_EXITED, name, ended.get());
    }
    var agent = firstFailed(pod, GroupPod.Role.AGENT);
    if (agent.isPresent() && !workersDone(pod) && news(pod, at(agent.get()), now, atCurrent)) {
      return exit(Sign.Kind.AGENT_EXITED, name, agent.get());
    }
    return atCurrent && pod.nodeAgent() ? restarted(view.job().uid(), name, pod, now) : null;
  }

  /**
   * Attempt and status of a node agent's pod come in one write. Elsewhere the status may lag behind
   * the annotation, so what is older than the lift belongs to an earlier attempt; times are whole
   * seconds.
   */
  private static boolean news(
      GroupPod pod, @Nullable Instant at, Situation now, boolean atCurrent) {
    var lifted = now.liftedAt();
    if (pod.nodeAgent() || !atCurrent || at == null || lifted == null) {
      return true;
    }
    return at.isAfter(lifted.truncatedTo(ChronoUnit.SECONDS));
  }

  private @Nullable Sign restarted(String uid, String name, GroupPod pod, Situation now) {
    int attempt = now.current().orElseThrow();
    var known = running.get(uid);
    if (known == null || known.attempt() != attempt) {
      known = new Baseline(attempt, new HashMap<>());
      running.put(uid, known);
    }
    for (var container : pod.containers()) {
      if (container.role() != GroupPod.Role.WORKER || !container.running()) {
        continue;
      }
      var first = known.counts().putIfAbsent(container.name(), container.restartCount());
      if (first != null && container.restartCount() > first) {
        return Sign.of(Sign.Kind.RESTART_COUNT_ROSE, name, container.name(), null);
      }
    }
    return null;
  }

  /**
   * Restarts of init containers since the pod reached its attempt, without those that a restart of
   * all containers brought to every container (JS-145).
   */
  private int runaway(String uid, GroupPod pod, OptionalInt attempt, Situation now) {
    boolean lifted = attempt.isPresent() && attempt.equals(now.current());
    var base = inits.computeIfAbsent(uid, _ -> new HashMap<>());
    int common = Integer.MAX_VALUE;
    int most = 0;
    for (var container : pod.containers()) {
      int since = base.computeIfAbsent(container.name(), _ -> container.restartCount());
      if (lifted) {
        base.put(container.name(), container.restartCount());
      }
      int risen = lifted ? 0 : container.restartCount() - since;
      switch (container.role()) {
        case INIT -> most = Math.max(most, risen);
        case AGENT, WORKER -> common = Math.min(common, risen);
        case HELPER -> {}
      }
    }
    return Math.max(0, most - (common == Integer.MAX_VALUE ? 0 : common));
  }

  private static Optional<GroupPod.Container> firstFailed(GroupPod pod, GroupPod.Role role) {
    return pod.containers().stream()
        .filter(one -> one.role() == role)
        .filter(one -> one.ended().map(GroupPod.Ended::fails).orElse(false))
        .findFirst();
  }

  private static boolean workersDone(GroupPod pod) {
    return pod.containers().stream()
        .filter(one -> one.role() == GroupPod.Role.WORKER)
        .allMatch(one -> one.ended().map(end -> end.exitCode() == 0).orElse(false));
  }

  private static @Nullable Instant at(GroupPod.Container container) {
    return container.ended().map(GroupPod.Ended::at).orElse(null);
  }

  private static Sign exit(Sign.Kind kind, String pod, GroupPod.Container container) {
    return Sign.of(
        kind, pod, container.name(), container.ended().map(GroupPod.Ended::exitCode).orElse(null));
  }
}
