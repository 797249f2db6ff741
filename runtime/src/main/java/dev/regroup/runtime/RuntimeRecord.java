package dev.regroup.runtime;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * One run as it is now. It survives the end of this program; only {@code remove} takes it away.
 *
 * @param id 64 hexadecimal digits, published as {@code regroup://<id>}
 * @param epoch the restart epoch it was created in (RAC-06)
 * @param pid PID 1 of the container as the host sees it, while running, else 0
 * @param startedAt when the process began; absent if it never did
 * @param finishedAt when it ended, right also if it ended while this program was down
 * @param exitCode 0…255, 128 + n for signal n (DEC-04); present exactly when {@code EXITED}
 * @param reason {@code Completed}, {@code Error}, {@code OOMKilled}, {@code StartError} (STS-15),
 *     {@code ContainerStatusUnknown} if it was lost; empty while not exited
 * @param message what the runtime has to say about the end; usually empty
 * @param labels what it was started with, and what was said when it was stopped (DEC-50)
 * @param warning what a stop gave its command before it was killed; not known any more to a runtime
 *     that took the run over
 */
public record RuntimeRecord(
    ContainerKey key,
    String id,
    int epoch,
    State state,
    int pid,
    Instant createdAt,
    Optional<Instant> startedAt,
    Optional<Instant> finishedAt,
    OptionalInt exitCode,
    String reason,
    String message,
    Map<String, String> labels,
    Warning warning) {

  public static final String COMPLETED = "Completed";
  public static final String ERROR = "Error";
  public static final String OOM_KILLED = "OOMKilled";
  public static final String START_ERROR = "StartError";

  /** How the usual runtime begins to tell why a command could not be started. */
  public static final String REFUSED =
      "failed to create containerd task: failed to create shim task: OCI runtime create failed:"
          + " runc create failed: unable to start container process: ";

  /** It is lost: its supervisor is gone and no exit code was kept (SEQ-25a). */
  public static final String LOST = "ContainerStatusUnknown";

  /** Exit code of a lost container, as after the SIGKILL that its processes get. */
  public static final int LOST_CODE = 137;

  /** Exit code of a container whose command could not be run, as containerd reports it. */
  public static final int START_ERROR_CODE = 128;

  public RuntimeRecord {
    labels = Map.copyOf(labels);
  }

  /** The same with more labels. */
  public RuntimeRecord labelled(Map<String, String> more) {
    if (more.isEmpty()) {
      return this;
    }
    var all = new HashMap<>(labels);
    all.putAll(more);
    return new RuntimeRecord(
        key,
        id,
        epoch,
        state,
        pid,
        createdAt,
        startedAt,
        finishedAt,
        exitCode,
        reason,
        message,
        all,
        warning);
  }

  /** The same after a stop said this to its command. */
  public RuntimeRecord warned(Warning told) {
    return new RuntimeRecord(
        key,
        id,
        epoch,
        state,
        pid,
        createdAt,
        startedAt,
        finishedAt,
        exitCode,
        reason,
        message,
        labels,
        told);
  }

  public enum State {
    /** Recorded but not running and never was: start another run (DEC-02). */
    CREATED,
    RUNNING,
    EXITED
  }

  /** What a command that was stopped knew of it. */
  public enum Warning {
    /** Nobody stopped it while it ran. */
    NONE,
    /** It got the signal and time to act on it. */
    HEARD,
    /** It was killed at once, since it could not hear the signal or was to have no time. */
    UNHEARD
  }
}
