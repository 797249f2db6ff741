package dev.regroup.api.job;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.MergeFields;
import dev.regroup.rules.job.JobSpec;
import dev.regroup.rules.job.JobStatus;

/** Writes a Job's status (JB-60); {@link JobReader#status} reads it back. */
public final class JobStatusWriter {

  private JobStatusWriter() {}

  /** The status as a merge patch, refused when the Job is no longer at this version. */
  public static ObjectNode patch(String resourceVersion, JobSpec spec, JobStatus status) {
    var patch = Wire.object();
    patch.putObject("metadata").put("resourceVersion", resourceVersion);
    var body = patch.putObject("status");
    MergeFields.number(body, "active", status.active());
    MergeFields.number(body, "succeeded", status.succeeded());
    MergeFields.number(body, "failed", status.failed());
    body.put("ready", status.ready()).put("terminating", status.terminating());
    MergeFields.text(
        body, "completedIndexes", spec.indexed() ? status.completedIndexes().text() : "");
    status.failedIndexes().ifPresent(failed -> body.put("failedIndexes", failed.text()));
    MergeFields.time(body, "startTime", status.startTime());
    MergeFields.time(body, "completionTime", status.completionTime());
    var open = body.putObject("uncountedTerminatedPods");
    MergeFields.texts(open, "succeeded", status.uncountedSucceeded());
    MergeFields.texts(open, "failed", status.uncountedFailed());
    conditions(body, status);
    return patch;
  }

  private static void conditions(ObjectNode body, JobStatus status) {
    if (status.conditions().isEmpty()) {
      return;
    }
    var list = body.putArray("conditions");
    for (var one : status.conditions()) {
      var condition = list.addObject();
      condition.put("type", one.type()).put("status", one.on() ? "True" : "False");
      MergeFields.time(condition, "lastProbeTime", one.probedAt());
      MergeFields.time(condition, "lastTransitionTime", one.changedAt());
      if (!one.reason().isEmpty()) {
        condition.put("reason", one.reason());
      }
      if (!one.message().isEmpty()) {
        condition.put("message", one.message());
      }
    }
  }
}
