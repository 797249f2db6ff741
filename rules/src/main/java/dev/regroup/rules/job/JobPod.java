package dev.regroup.rules.job;

import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * What a Job's plan has to know of one of its pods.
 *
 * @param index completion index, absent when it is unknown (JB-34)
 * @param tracked carries the finalizer of JB-30 and its removal has not been asked for
 * @param restarts how often its containers were started again
 * @param readyAt when it became ready or stopped being so; null when that was never said
 * @param finishedAt by JB-82
 * @param containers app containers first, then init containers
 * @param failureCount and {@code ignoredFailureCount}: annotations of JB-33
 * @param workerStarted a worker of this pod had started (JB-84)
 */
public record JobPod(
    String uid,
    String name,
    OptionalInt index,
    Phase phase,
    boolean terminating,
    boolean tracked,
    boolean ready,
    @Nullable Instant readyAt,
    boolean assigned,
    Restarts restarts,
    Instant createdAt,
    Instant finishedAt,
    List<Container> containers,
    List<Condition> conditions,
    int failureCount,
    int ignoredFailureCount,
    boolean workerStarted) {

  public enum Phase {
    PENDING,
    UNKNOWN,
    RUNNING,
    SUCCEEDED,
    FAILED
  }

  /**
   * Restart counts of a pod.
   *
   * @param sum of all init and app containers together (JB-47 step 4)
   * @param worker of the app container with the most, {@code sidecar} of such a sidecar (JB-53)
   */
  public record Restarts(int sum, int worker, int sidecar) {
    public static final Restarts NONE = new Restarts(0, 0, 0);
  }

  /** Exit code of a container in state terminated; absent in every other state. */
  public record Container(String name, OptionalInt exitCode) {}

  public record Condition(String type, String status) {}

  public JobPod {
    containers = List.copyOf(containers);
    conditions = List.copyOf(conditions);
  }

  /** The same pod after its finalizer was taken away, whatever a cache still shows. */
  public JobPod untracked() {
    return new JobPod(
        uid,
        name,
        index,
        phase,
        terminating,
        false,
        ready,
        readyAt,
        assigned,
        restarts,
        createdAt,
        finishedAt,
        containers,
        conditions,
        failureCount,
        ignoredFailureCount,
        workerStarted);
  }

  /** The same pod once it has failed as it stands; its containers have said enough. */
  public JobPod failing() {
    return new JobPod(
        uid,
        name,
        index,
        Phase.FAILED,
        terminating,
        tracked,
        false,
        readyAt,
        assigned,
        restarts,
        createdAt,
        finishedAt,
        containers,
        conditions,
        failureCount,
        ignoredFailureCount,
        workerStarted);
  }

  public boolean terminal() {
    return phase == Phase.SUCCEEDED || phase == Phase.FAILED;
  }

  public boolean active() {
    return !terminal() && !terminating;
  }

  /** Being deleted and not yet terminal, as {@code status.terminating} counts it. */
  public boolean leaving() {
    return terminating && !terminal();
  }

  /** JB-44: with TerminatingOrFailed a pod that is being deleted has failed already. */
  boolean failed(JobSpec spec) {
    return phase == Phase.FAILED
        || (leaving() && spec.replace() == JobSpec.Replace.TERMINATING_OR_FAILED);
  }

  /** Failed by something outside the pod (JB-84). */
  boolean disrupted() {
    return conditions.contains(new Condition("DisruptionTarget", "True"));
  }
}
