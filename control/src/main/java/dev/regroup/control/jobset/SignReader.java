package dev.regroup.control.jobset;

import dev.regroup.control.pods.ControlledPod;
import dev.regroup.control.pods.GroupPod;
import dev.regroup.rules.group.AttemptReport;
import dev.regroup.rules.group.PodReading;
import dev.regroup.rules.group.Sign;
import dev.regroup.rules.job.JobPod;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
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
   * @param job what its Job makes of a failed pod
   */
  record Situation(OptionalInt current, @Nullable Instant liftedAt, NodeState node, After job) {}

  enum NodeState {
    REACHABLE,
    UNREACHABLE
  }

  /** What the Job does about a pod that has failed (JS-160b). */
  enum After {
    REPLACES_IT,
    GIVES_UP_ITS_INDEX
  }

  /** A container waits for these on its way up; any other reason keeps it from starting. */
  private static final Set<String> ON_THE_WAY =
      Set.of(
          "",
          "PodInitializing",
          "ContainerCreating",
          "WaitingForBarrier",
          "RestartingAllContainers");

  private final Map<String, Baseline> running = new HashMap<>();
  private final Map<String, Map<String, Integer>> inits = new HashMap<>();

  void forget(String uid) {
    running.remove(uid);
    inits.remove(uid);
  }

  PodReading read(String jobName, ControlledPod view, Situation now) {
    var pod = view.group().orElseThrow();
    var job = view.job();
    var attempt =
        pod.report() instanceof AttemptReport.At(int number)
            ? OptionalInt.of(number)
            : OptionalInt.empty();
    boolean atCurrent = attempt.isPresent() && attempt.equals(now.current());
    var life = life(pod, now);
    boolean over = life == PodReading.Life.SUCCEEDED || life == PodReading.Life.GIVEN_UP;
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
        over ? null : sign(view, pod, now, atCurrent),
        runaway(job.uid(), pod, attempt, now),
        agentRuns && job.phase() == JobPod.Phase.RUNNING,
        atCurrent ? null : past(job.name(), pod, now),
        trouble(pod));
  }

  private static PodReading.Life life(GroupPod pod, Situation now) {
    if (pod.succeeded()) {
      return PodReading.Life.SUCCEEDED;
    }
    if (pod.failed() && now.job() == After.GIVES_UP_ITS_INDEX) {
      return PodReading.Life.GIVEN_UP;
    }
    return pod.failed() || pod.deleting() ? PodReading.Life.DEAD : PodReading.Life.LIVE;
  }

  private @Nullable Sign sign(ControlledPod view, GroupPod pod, Situation now, boolean atCurrent) {
    var name = view.job().name();
    var exits = new PodExits(name, pod);
    if (pod.failed()) {
      return exits.sign(Sign.Kind.POD_FAILED, GroupPod.Role.WORKER);
    }
    if (pod.deleting()) {
      return Sign.of(Sign.Kind.POD_DELETED, name).since(pod.deletedAt());
    }
    if (pod.disrupted()) {
      return Sign.of(Sign.Kind.POD_DISRUPTED, name);
    }
    if (now.node() == NodeState.UNREACHABLE && !view.job().ready()) {
      return Sign.of(Sign.Kind.NODE_UNREACHABLE, name);
    }
    if (pod.restarting() && news(pod, pod.restartingSince(), now, atCurrent)) {
      return exits.restarting();
    }
    if (exits.between()) {
      var past = exits.past();
      return past != null ? past : Sign.of(Sign.Kind.ALL_CONTAINERS_RESTARTING, name);
    }
    var worker = exits.first(GroupPod.Role.WORKER);
    if (worker.isPresent() && news(pod, PodExits.at(worker.get()), now, atCurrent)) {
      return exits.sign(Sign.Kind.WORKER_EXITED, GroupPod.Role.WORKER);
    }
    var agent = exits.first(GroupPod.Role.AGENT);
    if (agent.isPresent()
        && !exits.workersDone()
        && news(pod, PodExits.at(agent.get()), now, atCurrent)) {
      return exits.sign(Sign.Kind.AGENT_EXITED, GroupPod.Role.AGENT);
    }
    return atCurrent && pod.nodeAgent() ? restarted(view.job().uid(), name, pod, now) : null;
  }

  /** What the pod itself remembers of its last end: the status with the new attempt carries it. */
  private static @Nullable Sign past(String name, GroupPod pod, Situation now) {
    var past = new PodExits(name, pod).past();
    return past != null && news(pod, past.at(), now, true) ? past : null;
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
        var code = container.last().map(GroupPod.Ended::exitCode).orElse(null);
        return Sign.of(Sign.Kind.RESTART_COUNT_ROSE, name, container.name(), code);
      }
    }
    return null;
  }

  /**
   * Restarts of init containers since the pod reached its attempt, without those that a restart of
   * all containers brought, which the node slows down itself (JS-145, node.md RAC-54).
   */
  private int runaway(String uid, GroupPod pod, OptionalInt attempt, Situation now) {
    boolean lifted = attempt.isPresent() && attempt.equals(now.current());
    var base = inits.computeIfAbsent(uid, _ -> new HashMap<>());
    int common = Integer.MAX_VALUE;
    int most = 0;
    for (var container : pod.containers()) {
      int since = base.computeIfAbsent(container.name(), _ -> container.restartCount());
      boolean cycle = container.last().map(GroupPod.Ended::byCycle).orElse(false);
      if (lifted || cycle) {
        base.put(container.name(), container.restartCount());
      }
      int risen = lifted || cycle ? 0 : container.restartCount() - since;
      switch (container.role()) {
        case INIT -> most = Math.max(most, risen);
        case AGENT, WORKER -> common = Math.min(common, risen);
        case HELPER -> {}
      }
    }
    return Math.max(0, most - (common == Integer.MAX_VALUE ? 0 : common));
  }

  /** Why some container does not come up, for the text of the barrier. */
  private static String trouble(GroupPod pod) {
    for (var container : pod.containers()) {
      if (ON_THE_WAY.contains(container.waits())) {
        continue;
      }
      var exit = container.last().filter(end -> !end.byCycle()).map(GroupPod.Ended::exitCode);
      var source = PodExits.source(pod);
      return source != null
          ? "%s (container %s exited with code %d)"
              .formatted(container.waits(), source.container(), source.code())
          : exit.isPresent()
              ? "%s (container %s exited with code %d)"
                  .formatted(container.waits(), container.name(), exit.get())
              : "%s (container %s)".formatted(container.waits(), container.name());
    }
    return "";
  }
}
