package dev.regroup.rules.group;

import dev.regroup.rules.job.JobPod;
import java.time.Instant;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a pod tells its group: the signs of failure of JS-160, in the order of this table, the first
 * one counts.
 *
 * <ol>
 *   <li>The pod has succeeded, or its Job gives up the index: never a sign.
 *   <li>Phase Failed; {@code DisruptionTarget}; deletion; node unreachable and the pod not ready.
 *   <li>All containers restart; or did, and the pod waits before it goes on (RAC-54).
 *   <li>A worker ended so that its pod restarts or fails.
 *   <li>The agent ended while some worker has not ended with 0.
 *   <li>A worker's restart count rose in the running attempt (pods of the node agent).
 * </ol>
 *
 * <p>A pure function of the pod, the situation and the counts it is compared with.
 */
public final class PodSigns {

  /** What a group knows of a pod, and what the next look has to be given. */
  public record Seen(PodReading reading, Baseline baseline) {}

  /**
   * What a reading depends on beside the pod.
   *
   * @param current the running attempt
   * @param liftedAt when it began; signs of other agents' pods that are older are old news
   * @param job what its Job makes of a failed pod
   */
  public record Situation(
      OptionalInt current, @Nullable Instant liftedAt, NodeState node, After job) {}

  public enum NodeState {
    REACHABLE,
    UNREACHABLE
  }

  /** What the Job does about a pod that has failed (JS-160b). */
  public enum After {
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

  private final GroupPod pod;
  private final JobPod member;
  private final Situation now;
  private final PodExits exits;
  private final OptionalInt attempt;
  private final boolean atCurrent;

  private PodSigns(GroupPod pod, JobPod member, Situation now) {
    this.pod = pod;
    this.member = member;
    this.now = now;
    this.exits = new PodExits(member.name(), pod);
    this.attempt =
        pod.report() instanceof AttemptReport.At(int number)
            ? OptionalInt.of(number)
            : OptionalInt.empty();
    this.atCurrent = attempt.isPresent() && attempt.equals(now.current());
  }

  /**
   * Reads a pod.
   *
   * @param job name of the Job it belongs to
   * @param member the pod as that Job sees it
   * @param known what the last look at the same pod gave back
   */
  public static Seen read(String job, GroupPod pod, JobPod member, Situation now, Baseline known) {
    return new PodSigns(pod, member, now).read(job, known);
  }

  private Seen read(String job, Baseline known) {
    var life = life();
    boolean over = life == PodReading.Life.SUCCEEDED || life == PodReading.Life.GIVEN_UP;
    var counts = known;
    Sign sign = null;
    if (!over) {
      sign = shown();
      if (sign == null && atCurrent && pod.agent() == GroupPod.Agent.NODE) {
        counts = known.in(attempt.orElseThrow());
        sign = restarted(counts);
        counts = withRunning(counts);
      }
    }
    int runaway = runaway(counts);
    var reading =
        new PodReading(
            member.uid(),
            member.name(),
            job,
            member.index(),
            pod.report(),
            life,
            sign,
            runaway,
            agentRuns() && member.phase() == JobPod.Phase.RUNNING,
            atCurrent ? null : past(),
            trouble());
    return new Seen(reading, arrived(counts));
  }

  private PodReading.Life life() {
    return switch (pod.end()) {
      case SUCCEEDED -> PodReading.Life.SUCCEEDED;
      case FAILED ->
          switch (now.job()) {
            case GIVES_UP_ITS_INDEX -> PodReading.Life.GIVEN_UP;
            case REPLACES_IT -> PodReading.Life.DEAD;
          };
      case NONE -> pod.deleting() ? PodReading.Life.DEAD : PodReading.Life.LIVE;
    };
  }

  private boolean agentRuns() {
    return pod.agent() == GroupPod.Agent.NODE
        || pod.containers().stream()
            .anyMatch(one -> one.role() == GroupPod.Role.AGENT && one.running());
  }

  /** A sign that the pod shows by itself. */
  private @Nullable Sign shown() {
    var name = member.name();
    if (pod.end() == GroupPod.End.FAILED) {
      return exits.sign(Sign.Kind.POD_FAILED, GroupPod.Role.WORKER);
    }
    if (pod.disrupted()) { // an eviction is a deletion that says why
      return Sign.of(Sign.Kind.POD_DISRUPTED, name).since(pod.deletedAt());
    }
    if (pod.deleting()) {
      return Sign.of(Sign.Kind.POD_DELETED, name).since(pod.deletedAt());
    }
    if (now.node() == NodeState.UNREACHABLE && !member.ready()) {
      return Sign.of(Sign.Kind.NODE_UNREACHABLE, name);
    }
    var restarting = pod.restarting();
    if (restarting.isPresent() && (!atCurrent || isNew(restarting.get().since()))) {
      return exits.restarting(restarting.get());
    }
    if (exits.between()) {
      var past = exits.past();
      return past != null ? past : Sign.of(Sign.Kind.ALL_CONTAINERS_RESTARTING, name);
    }
    if (hasEnded(GroupPod.Role.WORKER)) {
      return exits.sign(Sign.Kind.WORKER_EXITED, GroupPod.Role.WORKER);
    }
    return hasEnded(GroupPod.Role.AGENT) && !exits.workersDone()
        ? exits.sign(Sign.Kind.AGENT_EXITED, GroupPod.Role.AGENT)
        : null;
  }

  private boolean hasEnded(GroupPod.Role role) {
    return exits.first(role).filter(one -> !atCurrent || isNew(PodExits.at(one))).isPresent();
  }

  /** What the pod itself remembers of its last end: the status with the new attempt carries it. */
  private @Nullable Sign past() {
    var past = exits.past();
    return past != null && isNew(past.at()) ? past : null;
  }

  /**
   * Attempt and status of a node agent's pod come in one write. Elsewhere the status may lag behind
   * the annotation, so what is older than the lift belongs to an earlier attempt; times are whole
   * seconds.
   */
  private boolean isNew(@Nullable Instant at) {
    var lifted = now.liftedAt();
    if (pod.agent() == GroupPod.Agent.NODE || at == null || lifted == null) {
      return true;
    }
    return at.isAfter(Instant.ofEpochSecond(lifted.getEpochSecond()));
  }

  private @Nullable Sign restarted(Baseline counts) {
    for (var container : pod.containers()) {
      if (isRunningWorker(container) && counts.rose(container)) {
        var code = container.last().map(GroupPod.Ended::exitCode).orElse(null);
        return Sign.of(Sign.Kind.RESTART_COUNT_ROSE, member.name(), container.name(), code);
      }
    }
    return null;
  }

  private Baseline withRunning(Baseline counts) {
    var more = counts;
    for (var container : pod.containers()) {
      more = isRunningWorker(container) ? more.withWorker(container) : more;
    }
    return more;
  }

  private static boolean isRunningWorker(GroupPod.Container container) {
    return container.role() == GroupPod.Role.WORKER && container.running();
  }

  /**
   * Restarts of init containers since the pod reached its attempt, without those that a restart of
   * all containers brought, which the node slows down itself (JS-145, node.md RAC-54).
   */
  private int runaway(Baseline counts) {
    int common = Integer.MAX_VALUE;
    int most = 0;
    for (var container : pod.containers()) {
      int risen = startsAnew(container) ? 0 : counts.risen(container);
      switch (container.role()) {
        case INIT -> most = Math.max(most, risen);
        case AGENT, WORKER -> common = Math.min(common, risen);
        case HELPER -> {}
      }
    }
    return Math.max(0, most - (common == Integer.MAX_VALUE ? 0 : common));
  }

  private Baseline arrived(Baseline counts) {
    var more = counts;
    for (var container : pod.containers()) {
      more = startsAnew(container) ? more.from(container) : more.known(container);
    }
    return more;
  }

  /** In step, or brought back by a restart of all: what was before no longer counts. */
  private boolean startsAnew(GroupPod.Container container) {
    return atCurrent || container.last().map(GroupPod.Ended::byCycle).orElse(false);
  }

  /** Why some container does not come up, for the text of the barrier (JS-133a). */
  private String trouble() {
    for (var container : pod.containers()) {
      if (ON_THE_WAY.contains(container.waits())) {
        continue;
      }
      var source = exits.source();
      if (source.isPresent()) {
        return exited(container.waits(), source.get().container(), source.get().code());
      }
      return container
          .last()
          .filter(end -> !end.byCycle())
          .map(end -> exited(container.waits(), container.name(), end.exitCode()))
          .orElseGet(() -> "%s (container %s)".formatted(container.waits(), container.name()));
    }
    return "";
  }

  private static String exited(String waits, String container, int code) {
    return "%s (container %s exited with code %d)".formatted(waits, container, code);
  }
}
