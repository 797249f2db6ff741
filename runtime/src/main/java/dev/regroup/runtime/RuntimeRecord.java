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
    Map<String, String> labels) {

  public static final String COMPLETED = "Completed";
  public static final String ERROR = "Error";
  public static final String OOM_KILLED = "OOMKilled";
  public static final String START_ERROR = "StartError";

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
        all);
  }

  public enum State {
    /** Recorded but not running and never was: start another run (DEC-02). */
    CREATED,
    RUNNING,
    EXITED
  }
}
