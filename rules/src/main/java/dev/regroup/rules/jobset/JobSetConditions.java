package dev.regroup.rules.jobset;

import java.time.Instant;
import java.util.List;

/** Conditions that change together, each change with its event (JS-96). */
final class JobSetConditions {

  private JobSetConditions() {}

  static JobSetStatus set(
      JobSetStatus status,
      JobSetStatus.Type type,
      String reason,
      String message,
      Instant now,
      List<JobSetPlan.Note> notes) {
    return change(status, type, true, reason, message, now, notes);
  }

  /** Does nothing when the condition was never there. */
  static JobSetStatus clear(
      JobSetStatus status,
      JobSetStatus.Type type,
      String reason,
      String message,
      Instant now,
      List<JobSetPlan.Note> notes) {
    return change(status, type, false, reason, message, now, notes);
  }

  static JobSetStatus failed(
      JobSetStatus status,
      String reason,
      String message,
      Instant now,
      List<JobSetPlan.Note> notes) {
    var next = set(status, JobSetStatus.Type.FAILED, reason, message, now, notes);
    next = clear(next, JobSetStatus.Type.RESTARTING, "JobSetFailed", "jobset failed", now, notes);
    return next.withTerminalState("Failed");
  }

  static JobSetStatus completed(JobSetStatus status, Instant now, List<JobSetPlan.Note> notes) {
    var message = "jobset completed successfully";
    var next = set(status, JobSetStatus.Type.COMPLETED, "AllJobsCompleted", message, now, notes);
    next = clear(next, JobSetStatus.Type.RESTARTING, "JobSetCompleted", message, now, notes);
    return next.withTerminalState("Completed");
  }

  /** The two startup conditions exclude each other; the other one keeps its texts (JS-82). */
  static JobSetStatus startup(
      JobSetStatus status, JobSetStatus.Type type, Instant now, List<JobSetPlan.Note> notes) {
    boolean done = type == JobSetStatus.Type.STARTUP_COMPLETED;
    var next =
        set(
            status,
            type,
            done ? "InOrderStartupPolicyCompleted" : "InOrderStartupPolicyInProgress",
            done
                ? "in order startup policy has completed"
                : "in order startup policy is in progress",
            now,
            notes);
    var other = done ? JobSetStatus.Type.STARTUP_IN_PROGRESS : JobSetStatus.Type.STARTUP_COMPLETED;
    var known = next.condition(other);
    return known.isPresent() && known.get().on()
        ? next.with(other, false, known.get().reason(), known.get().message(), now)
        : next;
  }

  private static JobSetStatus change(
      JobSetStatus status,
      JobSetStatus.Type type,
      boolean on,
      String reason,
      String message,
      Instant now,
      List<JobSetPlan.Note> notes) {
    var next = status.with(type, on, reason, message, now);
    if (!next.equals(status)) {
      boolean warning =
          on
              && (type == JobSetStatus.Type.FAILED
                  || type == JobSetStatus.Type.RESTARTING
                  || type == JobSetStatus.Type.BARRIER_WAITING);
      notes.add(new JobSetPlan.Note(warning, reason, message));
    }
    return next;
  }
}
