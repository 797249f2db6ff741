package dev.regroup.api.jobset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;
import dev.regroup.rules.group.Barrier;
import dev.regroup.rules.group.GroupStatus;
import dev.regroup.rules.group.InPlaceRestart;
import dev.regroup.rules.group.Sign;
import dev.regroup.rules.jobset.JobSetStatus;
import dev.regroup.rules.progress.KeptCost;
import dev.regroup.rules.progress.RestartCost.Measure;
import java.time.Instant;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Reads the status of a JobSet (jobset.md section 1.4); {@link JobSetStatusWriter} is the way back.
 */
public final class JobSetStatusReader {

  private JobSetStatusReader() {}

  /** {@code status} may be missing. */
  public static JobSetStatus read(JsonNode status) {
    return new JobSetStatus(
        Trees.objects(status, "conditions").stream().map(JobSetStatusReader::condition).toList(),
        Trees.integer(status, "restarts").orElse(0),
        Trees.integer(status, "restartsCountTowardsMax").orElse(0),
        Trees.text(status, "terminalState"),
        Trees.objects(status, "replicatedJobsStatus").stream()
            .map(JobSetStatusReader::replicatedJob)
            .toList(),
        group(status));
  }

  /** The released pair, else the draft's (JS-151, JS-153). */
  static Barrier barrier(JsonNode status) {
    return Barrier.read(
        Trees.integer(status, "currentInPlaceRestartAttempt"),
        Trees.integer(status, "previousInPlaceRestartAttempt"),
        Trees.integer(status, "syncedEpoch").orElse(0),
        Trees.integer(status, "deprecatedEpoch").orElse(0));
  }

  static JobSetStatus.Condition condition(ObjectNode one) {
    return new JobSetStatus.Condition(
        Trees.text(one, "type"),
        Trees.text(one, "status").equals("True"),
        Trees.text(one, "reason"),
        Trees.text(one, "message"),
        Trees.time(one, "lastTransitionTime"));
  }

  private static JobSetStatus.ReplicatedJobStatus replicatedJob(ObjectNode one) {
    return new JobSetStatus.ReplicatedJobStatus(
        Trees.text(one, "name"),
        Trees.integer(one, "ready").orElse(0),
        Trees.integer(one, "succeeded").orElse(0),
        Trees.integer(one, "failed").orElse(0),
        Trees.integer(one, "active").orElse(0),
        Trees.integer(one, "suspended").orElse(0),
        Trees.integers(one, "jobRestarts"),
        Trees.integers(one, "jobRestartsCountTowardsMax"));
  }

  private static GroupStatus group(JsonNode status) {
    var restarts = new ArrayList<InPlaceRestart>();
    for (var one : Trees.objects(status, "inPlaceRestarts")) {
      restarts.add(
          new InPlaceRestart(
              Trees.integer(one, "attempt").orElse(0),
              timeOrEpoch(one, "startedAt"),
              Trees.time(one, "liftedAt"),
              sign(one),
              Trees.isTrue(one, "counted"),
              Trees.object(one, "cost").map(JobSetStatusReader::cost).orElse(null)));
    }
    return new GroupStatus(
        barrier(status),
        Trees.integer(status, "inPlaceRestartsCountTowardsMax"),
        Trees.integer(status, "uncountedInPlaceRestartAttempts").orElse(0),
        restarts.reversed(), // the wire has the newest first
        Trees.object(status, "lastRestartRequest")
            .map(request ->
                new GroupStatus.ServedRequest(
                    Trees.text(request, "requestID"), timeOrEpoch(request, "time"))));
  }

  private static @Nullable KeptCost cost(ObjectNode cost) {
    var began = Trees.time(cost, "began");
    var works = Trees.time(cost, "works");
    return began == null || works == null
        ? null
        : new KeptCost(
            began,
            works,
            Trees.time(cost, "back"),
            Measure.of(Trees.text(cost, "measure")),
            Trees.number(cost, "reachedStep").orElse(-1),
            Trees.number(cost, "resumedStep").orElse(-1));
  }

  private static Sign sign(ObjectNode one) {
    var reason = Trees.text(one, "reason");
    var kind = Sign.Kind.CAME_BACK_AHEAD;
    for (var known : Sign.Kind.values()) {
      kind = known.wireName().equals(reason) ? known : kind;
    }
    return new Sign(
        kind,
        Trees.text(one, "pod"),
        Trees.text(one, "container"),
        Trees.integer(one, "exitCode"),
        null);
  }

  private static Instant timeOrEpoch(ObjectNode owner, String field) {
    var time = Trees.time(owner, field);
    return time == null ? Instant.EPOCH : time;
  }
}
