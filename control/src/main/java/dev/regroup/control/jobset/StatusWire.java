package dev.regroup.control.jobset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.tree.Read;
import dev.regroup.rules.group.Barrier;
import dev.regroup.rules.group.GroupStatus;
import dev.regroup.rules.group.InPlaceRestart;
import dev.regroup.rules.group.Sign;
import dev.regroup.rules.jobset.JobSetStatus;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** The status of a JobSet between its wire form and the plan's types (jobset.md section 1.4). */
final class StatusWire {

  private StatusWire() {}

  static JobSetStatus read(JsonNode status) {
    var conditions = new ArrayList<JobSetStatus.Condition>();
    for (var one : status.path("conditions")) {
      conditions.add(
          new JobSetStatus.Condition(
              Read.text(one, "type"),
              Read.text(one, "status").equals("True"),
              Read.text(one, "reason"),
              Read.text(one, "message"),
              Read.time(one, "lastTransitionTime")));
    }
    var jobs = new ArrayList<JobSetStatus.ReplicatedJobStatus>();
    for (var one : status.path("replicatedJobsStatus")) {
      jobs.add(
          new JobSetStatus.ReplicatedJobStatus(
              Read.text(one, "name"),
              Read.number(0, one, "ready"),
              Read.number(0, one, "succeeded"),
              Read.number(0, one, "failed"),
              Read.number(0, one, "active"),
              Read.number(0, one, "suspended"),
              Read.numbers(one, "jobRestarts"),
              Read.numbers(one, "jobRestartsCountTowardsMax")));
    }
    return new JobSetStatus(
        conditions,
        Read.number(0, status, "restarts"),
        Read.number(0, status, "restartsCountTowardsMax"),
        Read.text(status, "terminalState"),
        jobs,
        group(status));
  }

  private static GroupStatus group(JsonNode status) {
    var barrier =
        Barrier.read(
            Read.number(status, "currentInPlaceRestartAttempt"),
            Read.number(status, "previousInPlaceRestartAttempt"),
            Read.number(0, status, "syncedEpoch"),
            Read.number(0, status, "deprecatedEpoch"));
    var restarts = new ArrayList<InPlaceRestart>();
    for (var one : status.path("inPlaceRestarts")) {
      var started = Read.time(one, "startedAt");
      restarts.add(
          new InPlaceRestart(
              Read.number(0, one, "attempt"),
              started == null ? Instant.EPOCH : started,
              Read.time(one, "liftedAt"),
              sign(one),
              one.path("counted").asBoolean(false)));
    }
    var request = status.path("lastRestartRequest");
    var time = Read.time(request, "time");
    return new GroupStatus(
        barrier,
        Read.number(status, "inPlaceRestartsCountTowardsMax"),
        Read.number(0, status, "uncountedInPlaceRestartAttempts"),
        restarts.reversed(),
        request.isObject()
            ? Optional.of(
                new GroupStatus.ServedRequest(
                    Read.text(request, "requestID"), time == null ? Instant.EPOCH : time))
            : Optional.empty());
  }

  private static Sign sign(JsonNode one) {
    var reason = Read.text(one, "reason");
    var kind = Sign.Kind.CAME_BACK_AHEAD;
    for (var known : Sign.Kind.values()) {
      kind = known.wireName().equals(reason) ? known : kind;
    }
    OptionalInt code = Read.number(one, "exitCode");
    return new Sign(kind, Read.text(one, "pod"), Read.text(one, "container"), code, null);
  }

  /** The status as a merge patch: what is empty is said to be gone. Both names (JS-151). */
  static ObjectNode patch(String resourceVersion, JobSetStatus status, GroupFields groupFields) {
    var patch = Wire.object();
    patch.putObject("metadata").put("resourceVersion", resourceVersion);
    var body = patch.putObject("status");
    body.put("restarts", status.restarts());
    positive(body, "restartsCountTowardsMax", status.restartsCountTowardsMax());
    if (status.terminalState().isEmpty()) {
      body.putNull("terminalState");
    } else {
      body.put("terminalState", status.terminalState());
    }
    conditions(body, status.conditions());
    jobs(body, status.replicatedJobs());
    if (groupFields == GroupFields.WRITE) {
      group(body, status.group());
    }
    return patch;
  }

  /** A JobSet that does not restart in place has no such fields. */
  enum GroupFields {
    WRITE,
    LEAVE_OUT
  }

  private static void conditions(ObjectNode body, List<JobSetStatus.Condition> conditions) {
    if (conditions.isEmpty()) {
      return;
    }
    var list = body.putArray("conditions");
    for (var one : conditions) {
      var changed = one.changedAt();
      list.addObject()
          .put("type", one.type())
          .put("status", one.on() ? "True" : "False")
          .put("reason", one.reason())
          .put("message", one.message())
          .put(
              "lastTransitionTime",
              (changed == null ? Instant.EPOCH : changed)
                  .truncatedTo(ChronoUnit.SECONDS)
                  .toString());
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
    positive(body, "uncountedInPlaceRestartAttempts", group.uncounted());
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
    text(line, "liftedAt", one.liftedAt() == null ? null : exact(one.liftedAt()));
    text(line, "pod", one.cause().pod());
    text(line, "container", one.cause().container());
    one.cause().exitCode().ifPresent(code -> line.put("exitCode", code));
    line.put("reason", one.cause().kind().wireName()).put("counted", one.counted());
  }

  private static void text(ObjectNode line, String name, @Nullable String value) {
    if (value != null && !value.isEmpty()) {
      line.put(name, value);
    }
  }

  private static void positive(ObjectNode body, String name, int value) {
    if (value == 0) {
      body.putNull(name);
    } else {
      body.put(name, value);
    }
  }

  /** Restarts take milliseconds; seconds would not show them. */
  private static String exact(Instant time) {
    return time.truncatedTo(ChronoUnit.MILLIS).toString();
  }
}
