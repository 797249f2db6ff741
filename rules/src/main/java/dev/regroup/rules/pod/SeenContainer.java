package dev.regroup.rules.pod;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;

/**
 * One run of one container as the runtime knows it, with what the node's own threads know about
 * that run (probes, hooks, a stop under way). Results are tied to the run: nothing seen on an old
 * one can ever touch a new one (RAC-40).
 *
 * @param run its number, which is the restart count it has: 0 for the first
 * @param epoch the restart epoch it was created in (RAC-06)
 * @param sandbox id of the sandbox it was created in
 * @param fingerprint of the {@link ContainerSpec} it was created from
 * @param startedAt {@link Instant#EPOCH} while not started
 * @param finishedAt {@link Instant#EPOCH} while not ended
 * @param reason of the end as the runtime says it ({@code OOMKilled}, {@code StartError}, …); empty
 *     for none, the plan fills in {@code Completed} or {@code Error}
 * @param message termination message, already read (STS-16)
 * @param stopReason durable; {@link StopReason#NONE} unless the node decided to stop it
 * @param stop a stop under way; in memory only, {@link StopProgress#NONE} after a node restart
 * @param probes results of the probes that ran; a missing one is PRB-02
 */
public record SeenContainer(
    ContainerId id,
    String container,
    int run,
    int epoch,
    String sandbox,
    String image,
    String fingerprint,
    State state,
    Instant createdAt,
    Instant startedAt,
    Instant finishedAt,
    int exitCode,
    String reason,
    String message,
    StopReason stopReason,
    StopProgress stop,
    HookState postStart,
    Map<ProbeKind, ProbeResult> probes) {

  public static final String OOM_KILLED = "OOMKilled";

  /** Why a container ended of which no exit code was kept (SEQ-25a, STS-12). */
  public static final String LOST_REASON = "ContainerStatusUnknown";

  public enum State {
    /** Made, its process never ran. */
    CREATED,
    RUNNING,
    /** It has ended, also if nobody saw how: then with 137, {@link #LOST_REASON} (SEQ-25a). */
    EXITED
  }

  /** How far {@code postStart} is. After a restart of the node it counts as {@link #NONE}. */
  public enum HookState {
    /** There is none, or nobody knows any more. */
    NONE,
    RUNNING,
    SUCCEEDED,
    FAILED
  }

  public enum ProbeResult {
    UNKNOWN,
    SUCCESS,
    FAILURE
  }

  /**
   * A stop under way.
   *
   * @param since when it began; may be given back after a restart of the node, with step NONE
   * @param killAt when the kill follows; {@link Instant#MAX} before the signal
   */
  public record StopProgress(Step step, Instant since, Instant killAt) {
    public static final StopProgress NONE = new StopProgress(Step.NONE, Instant.EPOCH, Instant.MAX);

    public enum Step {
      NONE,
      /** The hook runs. */
      PRE_STOP,
      /** There is no hook to run, or it ended, well or not; the signal was not sent yet. */
      BEGUN,
      /** The stop signal was sent. */
      SIGNALLED
    }

    public StopProgress {
      Objects.requireNonNull(step, "step");
      Objects.requireNonNull(since, "since");
      Objects.requireNonNull(killAt, "killAt");
    }
  }

  public SeenContainer {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(container, "container");
    Objects.requireNonNull(sandbox, "sandbox");
    Objects.requireNonNull(image, "image");
    Objects.requireNonNull(fingerprint, "fingerprint");
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(createdAt, "createdAt");
    Objects.requireNonNull(startedAt, "startedAt");
    Objects.requireNonNull(finishedAt, "finishedAt");
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(message, "message");
    Objects.requireNonNull(stopReason, "stopReason");
    Objects.requireNonNull(stop, "stop");
    Objects.requireNonNull(postStart, "postStart");
    probes = Map.copyOf(probes);
  }

  public boolean isRunning() {
    return state == State.RUNNING;
  }

  public boolean hasExited() {
    return state == State.EXITED;
  }

  public ProbeResult probe(ProbeKind kind) {
    return probes.getOrDefault(kind, ProbeResult.UNKNOWN);
  }
}
