package dev.regroup.rules.jobset;

import dev.regroup.rules.jobset.JobSetSpec.FailureAction;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the failure policy does about failed Jobs (JS-86 to JS-89a): one action per pass. */
final class FailureStep {

  private final JobSetSpec spec;
  private final JobSetGates gates;
  private final JobSetPlan.Patterns patterns;
  private final Instant now;

  FailureStep(JobSetSpec spec, JobSetGates gates, JobSetPlan.Patterns patterns, Instant now) {
    this.spec = spec;
    this.gates = gates;
    this.patterns = patterns;
    this.now = now;
  }

  /** The first rule with a match, and the Job that failed first among those it matches. */
  private record Choice(@Nullable String rule, FailureAction action, ChildJob job) {}

  JobSetStatus apply(JobSetStatus status, List<ChildJob> failed, List<JobSetPlan.Note> notes) {
    if (spec.failurePolicy().isEmpty()) {
      return fail(
          status,
          "FailedJobs",
          "jobset failed due to one or more job failures" + first(earliest(failed)),
          notes);
    }
    var choice = choose(failed);
    var counted = countOnce(status, choice.job());
    return switch (choice.action()) {
      case FAIL_JOB_SET ->
          fail(
              counted,
              "FailJobSetFailurePolicyAction",
              "applying FailJobSet failure policy action" + first(choice.job()),
              notes);
      case RESTART_JOB_SET -> {
        if (used(counted) >= spec.maxRestarts()) {
          yield exhausted(status, choice.job(), notes);
        }
        yield recreate(
            counted.withRestarts(counted.restarts() + 1, counted.restartsCountTowardsMax() + 1),
            choice,
            notes);
      }
      case RESTART_JOB_SET_AND_IGNORE_MAX_RESTARTS ->
          recreate(
              counted.withRestarts(counted.restarts() + 1, counted.restartsCountTowardsMax()),
              choice,
              notes);
      case RESTART_JOB -> {
        if (used(counted) >= spec.maxRestarts()) {
          yield exhausted(status, choice.job(), notes);
        }
        yield restartJob(counted, choice, true, notes);
      }
      case RESTART_JOB_AND_IGNORE_MAX_RESTARTS -> restartJob(counted, choice, false, notes);
    };
  }

  /** JS-88; with InPlaceRestart JS-89a. */
  private int used(JobSetStatus status) {
    return status.restartsCountTowardsMax()
        + status.jobRestartsCounted()
        + (inPlace() ? status.group().counted().orElse(0) : 0);
  }

  private boolean inPlace() {
    return spec.inPlace() && gates.inPlaceRestart();
  }

  /** A pod's failure that was counted in place and then failed its Job counts once (AS-57). */
  private JobSetStatus countOnce(JobSetStatus status, ChildJob job) {
    var underWay = status.group().underWay();
    boolean same =
        inPlace()
            && underWay.isPresent()
            && underWay.get().counted()
            && underWay.get().cause().pod().startsWith(job.name() + "-");
    return same ? status.withGroup(status.group().countedElsewhere()) : status;
  }

  private Choice choose(List<ChildJob> failed) {
    for (var rule : spec.failurePolicy().orElseThrow().rules()) {
      var matching = failed.stream().filter(job -> matches(rule, job)).toList();
      if (!matching.isEmpty()) {
        return new Choice(rule.name(), rule.action(), earliest(matching));
      }
    }
    return new Choice(null, FailureAction.RESTART_JOB_SET, earliest(failed));
  }

  private boolean matches(JobSetSpec.FailureRule rule, ChildJob job) {
    if (!(job.end() instanceof ChildJob.End.Failed(String reason, String message, _))) {
      return false;
    }
    boolean targeted =
        rule.targets().isEmpty()
            ? !job.replicatedJob().isEmpty()
            : rule.targets().contains(job.replicatedJob());
    return targeted
        && (rule.reasons().isEmpty() || rule.reasons().contains(reason))
        && (rule.messagePatterns().isEmpty()
            || rule.messagePatterns().stream()
                .anyMatch(pattern -> patterns.found(pattern, message)));
  }

  private static ChildJob earliest(List<ChildJob> failed) {
    return failed.stream().min(Comparator.comparing(FailureStep::failedAt)).orElseThrow();
  }

  private static Instant failedAt(ChildJob job) {
    return job.end() instanceof ChildJob.End.Failed failed ? failed.at() : Instant.MAX;
  }

  private JobSetStatus recreate(JobSetStatus status, Choice choice, List<JobSetPlan.Note> notes) {
    var action = choice.action().wireName();
    var message = "applying " + action + " failure policy action" + first(choice.job());
    var rule = choice.rule();
    var reason = rule == null ? "DefaultFailurePolicy" : "FailurePolicy_" + rule;
    notes.add(JobSetPlan.Note.warning(action + "FailurePolicyAction", message));
    var next =
        JobSetConditions.set(status, JobSetStatus.Type.RESTARTING, reason, message, now, notes);
    return gathering(next);
  }

  private JobSetStatus restartJob(
      JobSetStatus status, Choice choice, boolean counts, List<JobSetPlan.Note> notes) {
    var action = choice.action().wireName();
    notes.add(
        JobSetPlan.Note.warning(
            action + "FailurePolicyAction",
            "applying " + action + " failure policy action" + first(choice.job())));
    int index = choice.job().jobIndex().orElse(0);
    var all = new ArrayList<JobSetStatus.ReplicatedJobStatus>();
    for (var one : status.replicatedJobs()) {
      if (!one.name().equals(choice.job().replicatedJob())) {
        all.add(one);
        continue;
      }
      int replicas = spec.job(one.name()).map(JobSetSpec.ReplicatedJob::replicas).orElse(0);
      all.add(
          new JobSetStatus.ReplicatedJobStatus(
              one.name(),
              one.ready(),
              one.succeeded(),
              one.failed(),
              one.active(),
              one.suspended(),
              raised(one.jobRestarts(), replicas, index),
              counts
                  ? raised(one.jobRestartsCountTowardsMax(), replicas, index)
                  : one.jobRestartsCountTowardsMax()));
    }
    return gathering(status.withReplicatedJobs(all));
  }

  /** New Jobs, so everybody meets at the barrier again; that has been counted already. */
  private JobSetStatus gathering(JobSetStatus status) {
    return inPlace() ? status.withGroup(status.group().recreated()) : status;
  }

  private static List<Integer> raised(List<Integer> counts, int length, int index) {
    var all = new ArrayList<>(counts);
    all.addAll(Collections.nCopies(Math.max(0, length - counts.size()), 0));
    all.set(index, all.get(index) + 1);
    return all;
  }

  private JobSetStatus exhausted(JobSetStatus status, ChildJob job, List<JobSetPlan.Note> notes) {
    return fail(
        status,
        "ReachedMaxRestarts",
        "jobset failed due to reaching max number of restarts" + first(job),
        notes);
  }

  private JobSetStatus fail(
      JobSetStatus status, String reason, String message, List<JobSetPlan.Note> notes) {
    return JobSetConditions.failed(status, reason, message, now, notes);
  }

  private static String first(ChildJob job) {
    return " (first failed job: " + job.name() + ")";
  }
}
