package dev.regroup.rules.jobset;

import dev.regroup.rules.group.GroupPlan;
import dev.regroup.rules.group.Roster;
import dev.regroup.rules.group.Sign;
import dev.regroup.rules.group.Tally;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Fits the group's decision into the pass of a JobSet (JS-112, JS-133, JS-134, JS-146). */
final class GroupStep {

  private GroupStep() {}

  /**
   * Who is expected at the barrier now (JS-133): replicated jobs with an agent whose {@code
   * Complete} dependencies hold, without those that are done for good.
   */
  static Roster roster(JobSetSpec spec, JobSetStatus counts) {
    var stages = stages(spec);
    var entries = new ArrayList<Roster.Entry>();
    for (var job : spec.jobs()) {
      if (!job.participates()
          || !completeDependenciesHold(spec, counts, job)
          || doneForGood(spec, counts, stages, job)) {
        continue;
      }
      var names = new ArrayList<String>();
      for (int index = 0; index < job.replicas(); index++) {
        names.add(spec.childName(job.name(), index));
      }
      var places = job.indexed() ? Roster.Places.INDEXED : Roster.Places.ANY;
      entries.add(new Roster.Entry(job.name(), names, job.parallelism(), places));
    }
    return new Roster(entries);
  }

  /** A replicated job behind a {@code Complete} dependency belongs to a later group. */
  static boolean later(JobSetSpec.ReplicatedJob job) {
    return job.dependsOn().stream().anyMatch(one -> one.until() == JobSetSpec.Until.COMPLETE);
  }

  private static Map<String, Integer> stages(JobSetSpec spec) {
    Map<String, Integer> stages = new HashMap<>();
    for (var job : spec.jobs()) { // dependencies are listed before their dependents (JS-54)
      int stage = 0;
      for (var dependency : job.dependsOn()) {
        int step = dependency.until() == JobSetSpec.Until.COMPLETE ? 1 : 0;
        stage = Math.max(stage, stages.getOrDefault(dependency.name(), 0) + step);
      }
      stages.put(job.name(), stage);
    }
    return stages;
  }

  private static boolean completeDependenciesHold(
      JobSetSpec spec, JobSetStatus counts, JobSetSpec.ReplicatedJob job) {
    return job.dependsOn().stream()
        .filter(one -> one.until() == JobSetSpec.Until.COMPLETE)
        .allMatch(one -> succeeded(spec, counts, one.name()));
  }

  /** Completed groups leave the barrier and are never restarted (JS-133 c). */
  private static boolean doneForGood(
      JobSetSpec spec,
      JobSetStatus counts,
      Map<String, Integer> stages,
      JobSetSpec.ReplicatedJob job) {
    if (!succeeded(spec, counts, job.name())) {
      return false;
    }
    boolean awaited =
        spec.jobs().stream()
            .flatMap(other -> other.dependsOn().stream())
            .anyMatch(
                one -> one.until() == JobSetSpec.Until.COMPLETE && one.name().equals(job.name()));
    return awaited
        || spec.jobs().stream()
            .filter(other -> Objects.equals(stages.get(other.name()), stages.get(job.name())))
            .allMatch(other -> succeeded(spec, counts, other.name()));
  }

  private static boolean succeeded(JobSetSpec spec, JobSetStatus counts, String name) {
    int replicas = spec.job(name).map(JobSetSpec.ReplicatedJob::replicas).orElse(0);
    int done =
        counts.replicatedJob(name).map(JobSetStatus.ReplicatedJobStatus::succeeded).orElse(0);
    return replicas > 0 && done >= replicas;
  }

  /** Places that are done although nobody may be left there to show it (JS-134). */
  static int done(JobSetSpec spec, JobSetStatus counts, List<ChildJob> jobs) {
    Set<String> expected = new HashSet<>();
    roster(spec, counts).entries().forEach(entry -> expected.addAll(entry.jobs()));
    return jobs.stream()
        .filter(job -> expected.contains(job.name()))
        .mapToInt(ChildJob::succeeded)
        .sum();
  }

  static GroupPlan decide(
      JobSetSpec spec,
      JobSetStatus status,
      JobSetPlan.Group input,
      int done,
      Optional<Sign.Kind> voluntary,
      GroupPlan.Mood mood,
      Instant now) {
    var situation =
        new GroupPlan.Situation(
            spec.maxRestarts(),
            status.restartsCountTowardsMax() + status.jobRestartsCounted(),
            status.recreations(),
            done,
            mood,
            voluntary,
            input.request(),
            input.waitingSince(),
            input.oddSince());
    return GroupPlan.decide(input.tally(), status.group(), situation, now);
  }

  /** Writes the group's decision into the JobSet's status. */
  static JobSetStatus apply(
      JobSetStatus status, GroupPlan plan, Tally tally, Instant now, List<JobSetPlan.Note> notes) {
    var next = status.withGroup(plan.status());
    for (var note : plan.notes()) {
      notes.add(
          switch (note.kind()) {
            case IN_PLACE_RESTART_STARTED, INVALID_ATTEMPT, RESTART_REQUEST_IGNORED ->
                JobSetPlan.Note.warning(note.kind().wireName(), note.message());
            case IN_PLACE_RESTART_COMPLETED ->
                new JobSetPlan.Note(false, note.kind().wireName(), note.message());
          });
    }
    return switch (plan.step()) {
      case GroupPlan.Step.Fail _ ->
          JobSetConditions.failed(
              next,
              "ReachedMaxRestarts",
              "jobset failed due to reaching max number of restarts",
              now,
              notes);
      case GroupPlan.Step.Restart(Sign cause, _) ->
          next.with( // its event is InPlaceRestartStarted (JS-97b)
              JobSetStatus.Type.RESTARTING,
              true,
              "InPlaceRestart",
              "in-place restart to attempt %d (%s): %d of %d at the barrier"
                  .formatted(
                      next.group().barrier().next(),
                      cause.text(),
                      tally.at(next.group().barrier().next()),
                      tally.expected()),
              now);
      case GroupPlan.Step.Lift _ ->
          JobSetConditions.clear(
              next,
              JobSetStatus.Type.BARRIER_WAITING,
              "BarrierLifted",
              "barrier lifted",
              now,
              notes);
      case GroupPlan.Step.Recreate(Sign cause, boolean counted) ->
          recreate(next, cause, counted, now, notes);
      case GroupPlan.Step.Rest(var waiting) ->
          waiting.isEmpty() ? next : waiting(next, waiting.get(), now, notes);
    };
  }

  /** JS-134: the same as RestartJobSet, because a completed index cannot run again. */
  private static JobSetStatus recreate(
      JobSetStatus status, Sign cause, boolean counted, Instant now, List<JobSetPlan.Note> notes) {
    var message = "recreating all jobs because a Pod has succeeded (" + cause.text() + ")";
    var next =
        status.withRestarts(
            status.restarts() + 1, status.restartsCountTowardsMax() + (counted ? 1 : 0));
    next =
        JobSetConditions.set(
            next, JobSetStatus.Type.RESTARTING, "InPlaceRestart", message, now, notes);
    return next.withGroup(next.group().recreated());
  }

  private static JobSetStatus waiting(
      JobSetStatus status, GroupPlan.Waiting waiting, Instant now, List<JobSetPlan.Note> notes) {
    var known = status.condition(JobSetStatus.Type.BARRIER_WAITING);
    boolean news =
        known.isEmpty()
            || !known.get().on()
            || !known.get().reason().equals(waiting.reason().wireName());
    return JobSetConditions.set(
        status,
        JobSetStatus.Type.BARRIER_WAITING,
        waiting.reason().wireName(),
        waiting.message(),
        now,
        news ? notes : new ArrayList<>()); // a new count alone is no event
  }
}
