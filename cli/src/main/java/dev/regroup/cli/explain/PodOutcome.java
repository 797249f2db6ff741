package dev.regroup.cli.explain;

import dev.regroup.rules.pod.ContainerStatus;
import dev.regroup.rules.pod.Phase;
import java.util.List;

/**
 * What one exit means for the pod.
 *
 * @param phase of the pod in the end: terminal when it ends, or will end when the others are done;
 *     Running otherwise
 * @param restarts how many container restarts it adds to the pod's sum (RAC-32)
 * @param byCompletion whether {@code lifecycle.onCompletion} ended the pod
 * @param last statuses of the ended pod, empty while it lives
 */
record PodOutcome(
    Kind kind, Phase phase, int restarts, boolean byCompletion, List<ContainerStatus> last) {

  enum Kind {
    RESTART_CONTAINER,
    RESTART_ALL,
    /** An init container is done; the next entry may start. */
    NEXT_STARTS,
    /** The container stays ended, the pod goes on. */
    CONTAINER_ENDS,
    /** The pod ends because of this exit. */
    POD_ENDS
  }

  PodOutcome {
    last = List.copyOf(last);
  }

  /** As the table shows it. */
  String text() {
    return switch (kind) {
      case RESTART_CONTAINER -> "restart container";
      case RESTART_ALL -> "restart all containers in place";
      case NEXT_STARTS -> "done, next container starts";
      case CONTAINER_ENDS ->
          switch (phase) {
            case SUCCEEDED -> "container ends, Pod succeeds with the others";
            case FAILED -> "container ends, Pod fails with the others";
            case PENDING, RUNNING -> "container ends, Pod goes on";
          };
      case POD_ENDS -> phase == Phase.SUCCEEDED ? "Pod succeeds" : "Pod fails";
    };
  }
}
