package dev.regroup.rules.jobset;

import java.time.Instant;
import java.util.OptionalInt;

/**
 * A Job whose controller is this JobSet, by UID (JS-75).
 *
 * @param replicatedJob label value, empty when missing
 * @param restartAttempt label {@code restart-attempt}; absent when missing or not a number
 * @param jobRestartAttempt label {@code job-restart-attempt}; absent when missing
 * @param started {@code status.startTime} is set
 */
public record ChildJob(
    String name,
    String uid,
    String replicatedJob,
    OptionalInt jobIndex,
    OptionalInt restartAttempt,
    OptionalInt jobRestartAttempt,
    boolean deleting,
    boolean suspended,
    boolean started,
    End end,
    int active,
    int ready,
    int succeeded,
    int parallelism,
    OptionalInt completions) {

  /** How the Job ended; {@code FailureTarget} alone is not an end. */
  public sealed interface End {
    record None() implements End {}

    record Complete() implements End {}

    record Failed(String reason, String message, Instant at) implements End {}
  }
}
