package dev.regroup.cli.run;

import dev.regroup.api.pod.AgentMarks;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerState;
import dev.regroup.rules.pod.ContainerState.Terminated;
import dev.regroup.rules.pod.ContainerStatus;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.PodCondition;
import dev.regroup.rules.pod.SeenContainer;
import dev.regroup.runtime.RuntimeRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One end of a container, as the status of its pod tells it.
 *
 * @param container its name
 * @param terminated the state, with exit code, reason and times
 * @param how whether it ended by itself
 * @param at when it ended, as exactly as the pod tells; {@link Instant#EPOCH} if it does not
 */
record ContainerEnd(String container, Terminated terminated, How how, Instant at) {

  /** Whether the end says something about the container. */
  enum How {
    ON_ITS_OWN,
    /** Regroup stopped it because of another: its exit code means nothing. */
    STOPPED
  }

  private static final String RESTARTING = "RestartingAllContainers";
  private static final int KILLED = 137;
  private static final int TERMINATED = 143;

  /** The ends that the newer form of a pod tells and the older did not, oldest first. */
  static List<ContainerEnd> between(FollowedPod before, FollowedPod now) {
    var ends = new ArrayList<ContainerEnd>();
    for (var status : now.status().containers()) {
      var known = before.status().container(status.name());
      for (var state : List.of(status.lastState(), status.state())) {
        if (state instanceof Terminated end && !tells(known, end)) {
          var at = now.restarts().life().exactly(end.finishedAt());
          ends.add(new ContainerEnd(status.name(), end, how(before, now, status.name(), end), at));
        }
      }
    }
    return ends;
  }

  int exitCode() {
    return terminated.exitCode();
  }

  boolean failed() {
    return how == How.ON_ITS_OWN && exitCode() != 0;
  }

  Instant finishedAt(Instant otherwise) {
    return at.equals(Instant.EPOCH) ? otherwise : at;
  }

  private static final Map<Integer, String> SIGNALS =
      Map.of(
          KILLED,
          "was killed",
          134,
          "aborted",
          139,
          "crashed (segmentation fault)",
          136,
          "crashed (arithmetic)",
          135,
          "crashed (bus error)",
          TERMINATED,
          "was terminated");

  /** What happened to it, such as {@code container worker ran out of memory (OOMKilled)}. */
  String words() {
    String subject = "container " + container + " ";
    return switch (terminated.reason()) {
      case SeenContainer.OOM_KILLED -> subject + "ran out of memory (OOMKilled)";
      case "StartError", "ContainerCannotRun" ->
          subject
              + "could not start: "
              + terminated.message().replace(RuntimeRecord.REFUSED, "").strip();
      case SeenContainer.LOST_REASON -> subject + "was lost: nobody knows how it ended";
      default -> {
        String signal = SIGNALS.get(exitCode());
        yield subject
            + (signal == null
                ? "exited with code " + exitCode()
                : signal + " (exit code " + exitCode() + ")");
      }
    };
  }

  private static How how(FollowedPod before, FollowedPod now, String container, Terminated end) {
    if (end.reason().equals(RESTARTING)) {
      return end.message().startsWith("Container " + container + " exited")
          ? How.ON_ITS_OWN
          : How.STOPPED;
    }
    if (isAgent(now, container)) {
      return How.STOPPED;
    }
    boolean another = restarting(now) || isDone(now) || now.isDeleted();
    boolean stopped = before.isDeleted() || restarting(before) || (another && endsLikeStopped(end));
    return stopped ? How.STOPPED : How.ON_ITS_OWN;
  }

  /** It ends itself when its group restarts; should it fail, the JobSet says so. */
  private static boolean isAgent(FollowedPod pod, String container) {
    return Trees.objects(pod.wire(), "spec", "initContainers").stream()
        .anyMatch(
            one -> Trees.text(one, "name").equals(container) && AgentMarks.isSidecarAgent(one));
  }

  private static boolean endsLikeStopped(Terminated end) {
    return (end.exitCode() == KILLED || end.exitCode() == TERMINATED)
        && !end.reason().equals(SeenContainer.OOM_KILLED);
  }

  /** It has ended for another reason: past its deadline, evicted, or all that counts is done. */
  private static boolean isDone(FollowedPod pod) {
    return !pod.status().reason().isEmpty() || pod.status().phase() == Phase.SUCCEEDED;
  }

  private static boolean restarting(FollowedPod pod) {
    return pod.status().isTrue(PodCondition.Type.ALL_CONTAINERS_RESTARTING);
  }

  private static boolean tells(Optional<ContainerStatus> status, Terminated end) {
    return status
        .map(known -> isSame(known.state(), end) || isSame(known.lastState(), end))
        .orElse(false);
  }

  private static boolean isSame(ContainerState known, Terminated end) {
    return known.equals(end)
        || (known instanceof Terminated other
            && !end.containerId().equals(ContainerId.NONE)
            && end.containerId().equals(other.containerId()));
  }
}
