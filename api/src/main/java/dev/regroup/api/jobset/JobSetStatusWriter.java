package dev.regroup.api.jobset;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.MergeFields;
import dev.regroup.rules.group.GroupStatus;
import dev.regroup.rules.group.InPlaceRestart;
import dev.regroup.rules.jobset.JobSetStatus;
import dev.regroup.rules.progress.KeptCost;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * Writes the status of a JobSet with the orders to its pods, under both names (JS-151); {@link
 * JobSetStatusReader} reads it back.
 */
public final class JobSetStatusWriter {

  /** A JobSet that does not restart in place has no such fields. */
  public enum GroupFields {
    WRITE,
    LEAVE_OUT
  }

  private JobSetStatusWriter() {}

  /** The status as a merge patch, refused when the JobSet is no longer at this version. */
  public static ObjectNode patch(
      String resourceVersion, JobSetStatus status, GroupFields groupFields) {
    var patch = Wire.object();
    patch.putObject("metadata").put("resourceVersion", resourceVersion);
    var body = patch.putObject("status");
    body.put("restarts", status.restarts());
    MergeFields.number(body, "restartsCountTowardsMax", status.restartsCountTowardsMax());
    MergeFields.text(body, "terminalState", status.terminalState());
    conditions(body, status.conditions());
    jobs(body, status.replicatedJobs());
    if (groupFields == GroupFields.WRITE) {
      group(body, status.group());
    }
    return patch;
  }

  private static void conditions(ObjectNode body, List<JobSetStatus.Condition> conditions) {
    if (conditions.isEmpty()) {
      return;
    }
    var list = body.putArray("conditions");
    for (var one : conditions) {
      var changed = one.changedAt();
      var condition = list.addObject();
      condition.put("type", one.type()).put("status", one.on() ? "True" : "False");
      condition.put("reason", one.reason()).put("message", one.message());
      MergeFields.time(condition, "lastTransitionTime", changed == null ? Instant.EPOCH : changed);
    }
  }

  private static void jobs(ObjectNode body, List<JobSetStatus.ReplicatedJobStatus> jobs) {
    var list = body.putArray("replicatedJobsStatus");
    for (var one : jobs) {
      var job = list.addObject();
      job.put("name", one.name())
          .put("ready", one.ready())
          .put("succeeded", one.succeeded())
          .put("failed", one.failed())
          .put("active", one.active())
          .put("suspended", one.suspended());
      if (!one.jobRestarts().isEmpty()) {
        one.jobRestarts().forEach(job.putArray("jobRestarts")::add);
      }
      if (!one.jobRestartsCountTowardsMax().isEmpty()) {
        one.jobRestartsCountTowardsMax().forEach(job.putArray("jobRestartsCountTowardsMax")::add);
      }
    }
  }

  private static void group(ObjectNode body, GroupStatus group) {
    var barrier = group.barrier();
    barrier.current().ifPresent(value -> body.put("currentInPlaceRestartAttempt", value));
    barrier.previous().ifPresent(value -> body.put("previousInPlaceRestartAttempt", value));
    body.put("syncedEpoch", barrier.syncedEpoch());
    body.put("deprecatedEpoch", barrier.deprecatedEpoch());
    MergeFields.number(body, "uncountedInPlaceRestartAttempts", group.uncounted());
    group.counted().ifPresent(value -> body.put("inPlaceRestartsCountTowardsMax", value));
    if (!group.restarts().isEmpty()) {
      var list = body.putArray("inPlaceRestarts");
      for (var one : group.restarts().reversed()) { // newest first
        restart(list.addObject(), one);
      }
    }
    group
        .lastRequest()
        .ifPresent(request ->
            body.putObject("lastRestartRequest")
                .put("requestID", request.requestId())
                .put("time", exact(request.time())));
  }

  private static void restart(ObjectNode line, InPlaceRestart one) {
    line.put("attempt", one.attempt()).put("startedAt", exact(one.startedAt()));
    text(line, "liftedAt", one.liftedAt() == null ? "" : exact(one.liftedAt()));
    text(line, "pod", one.cause().pod());
    text(line, "container", one.cause().container());
    one.cause().exitCode().ifPresent(code -> line.put("exitCode", code));
    line.put("reason", one.cause().kind().wireName()).put("counted", one.counted());
    var cost = one.cost();
    if (cost != null) {
      cost(line.putObject("cost"), cost);
    }
  }

  /** In the words of a report (docs/reference/report.md). */
  private static void cost(ObjectNode body, KeptCost cost) {
    body.put("began", exact(cost.began())).put("works", exact(cost.works()));
    text(body, "back", cost.back() == null ? "" : exact(cost.back()));
    body.put("measure", cost.measure().word());
    if (cost.reached() >= 0) {
      body.put("reachedStep", cost.reached());
    }
    if (cost.resumed() >= 0) {
      body.put("resumedStep", cost.resumed());
    }
  }

  private static void text(ObjectNode line, String name, String value) {
    if (!value.isEmpty()) {
      line.put(name, value);
    }
  }

  /** Restarts take milliseconds; seconds would not show them. */
  private static String exact(Instant time) {
    return time.truncatedTo(ChronoUnit.MILLIS).toString();
  }
}
