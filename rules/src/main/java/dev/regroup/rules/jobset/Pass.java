package dev.regroup.rules.jobset;

import dev.regroup.rules.group.GroupPlan;
import dev.regroup.rules.group.Sign;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** One pass over a JobSet while its plan is made; used once. */
final class Pass {
  private final JobSetSpec spec;
  private final JobSetGates gates;
  private final Children children;
  private final JobSetPlan.World world;
  private final Optional<JobSetPlan.Group> group;
  private final Instant now;
  private final List<JobSetPlan.Effect> effects = new ArrayList<>();
  private final List<JobSetPlan.Note> notes = new ArrayList<>();
  private Instant wakeUp = Instant.MAX;
  private Optional<JobSetPlan.Question> question = Optional.empty();

  Pass(
      JobSetSpec spec,
      JobSetGates gates,
      Children children,
      JobSetPlan.World world,
      Optional<JobSetPlan.Group> group,
      Instant now) {
    this.spec = spec;
    this.gates = gates;
    this.children = children;
    this.world = world;
    this.group = spec.inPlace() && gates.inPlaceRestart() ? group : Optional.empty();
    this.now = now;
  }

  JobSetPlan plan(JobSetStatus written, JobSetStatus seen, JobSetPlan.Patterns patterns) {
    if (seen.finished()) {
      delete(children.active);
      expire(seen);
      return done(written, seen);
    }
    group.flatMap(JobSetPlan.Group::recheck).ifPresent(this::wake);
    var ordered = order(seen);
    if (question.isPresent()) {
      return done(written, written);
    }
    if (ordered.isPresent()) {
      return done(written, ordered.get());
    }
    delete(children.previous);
    var status = restarted(seen);
    if (!children.failed.isEmpty()) {
      var step = new FailureStep(spec, gates, patterns, now);
      return done(written, step.apply(status, children.failed, notes));
    }
    if (!children.successful.isEmpty() && succeeded()) {
      return done(written, JobSetConditions.completed(status, now, notes));
    }
    createService();
    createClaims();
    scale();
    status = createJobs(status);
    status = spec.suspend() ? suspend(status) : resume(status);
    return done(written, group(status));
  }

  private void delete(List<ChildJob> jobs) {
    jobs.stream()
        .filter(job -> !job.deleting())
        .forEach(job -> effects.add(new JobSetPlan.Effect.DeleteJob(job)));
  }

  /** JS-104. */
  private void expire(JobSetStatus status) {
    if (spec.ttlSecondsAfterFinished().isEmpty()) {
      return;
    }
    var end =
        status.is(JobSetStatus.Type.COMPLETED)
            ? status.condition(JobSetStatus.Type.COMPLETED)
            : status.condition(JobSetStatus.Type.FAILED);
    var at = end.map(JobSetStatus.Condition::changedAt).orElse(now);
    var due = at.plus(Duration.ofSeconds(spec.ttlSecondsAfterFinished().getAsInt()));
    if (due.isAfter(now)) {
      wake(due);
    } else {
      effects.add(new JobSetPlan.Effect.DeleteJobSet());
    }
  }

  /**
   * An order is written before anything else is done (unless a Job failed, which the failure policy
   * decides): it is what thousands of pods wait for.
   */
  private Optional<JobSetStatus> order(JobSetStatus seen) {
    boolean ends = !children.successful.isEmpty() && succeeded();
    if (group.isEmpty() || !children.failed.isEmpty() || ends) {
      return Optional.empty();
    }
    var quiet = new ArrayList<JobSetPlan.Note>();
    var plan = decide(seen);
    var next = GroupStep.apply(seen, plan, group.get().tally(), now, quiet);
    if (plan.step() instanceof GroupPlan.Step.Rest) {
      return Optional.empty();
    }
    question =
        plan.suspect()
            .filter(job -> !group.get().confirmed().contains(job))
            .map(JobSetPlan.Question::new);
    if (question.isPresent()) {
      return Optional.empty();
    }
    notes.addAll(quiet);
    return Optional.of(next);
  }

  /** The group's step of a pass in which it moves nothing: texts, requests, waiting. */
  private JobSetStatus group(JobSetStatus status) {
    if (group.isEmpty() || status.finished()) {
      return status;
    }
    var plan = decide(status);
    if (!(plan.step() instanceof GroupPlan.Step.Rest)) {
      wake(now); // something this pass did calls for an order: look again at once
      return status;
    }
    wake(plan.wakeUp());
    return GroupStep.apply(status, plan, group.get().tally(), now, notes);
  }

  private GroupPlan decide(JobSetStatus status) {
    var current = new ArrayList<>(children.active);
    current.addAll(children.successful);
    int done = GroupStep.done(spec, status, current);
    return GroupStep.decide(
        spec, status, group.orElseThrow(), done, voluntary(status), mood(status), now);
  }

  /** A restart nobody failed for (JS-133 c, JS-146, JS-147). */
  private Optional<Sign.Kind> voluntary(JobSetStatus status) {
    if (spec.suspend()) {
      return Optional.empty();
    }
    if (resumes(status)) {
      return Optional.of(Sign.Kind.RESUMED);
    }
    if (gates.elastic() && children.active.stream().anyMatch(this::wrongSize)) {
      return Optional.of(Sign.Kind.SCALED);
    }
    var order = new StartOrder(spec, status, group.map(JobSetPlan.Group::tally));
    boolean next =
        spec.jobs().stream()
            .anyMatch(job ->
                job.participates()
                    && GroupStep.later(job)
                    && order.dependenciesHold(job)
                    && noneExists(job));
    return next ? Optional.of(Sign.Kind.NEXT_GROUP) : Optional.empty();
  }

  /** In order, the marker outlives the restart it caused: one resume is one restart. */
  private boolean resumes(JobSetStatus status) {
    var marker = status.condition(JobSetStatus.Type.SUSPENDED).filter(JobSetStatus.Condition::on);
    if (marker.isEmpty()) {
      return false;
    }
    boolean told =
        status.group().restarts().stream()
            .anyMatch(one ->
                one.cause().kind() == Sign.Kind.RESUMED
                    && !one.startedAt().isBefore(marker.get().changedAt()));
    return !told || children.active.stream().anyMatch(ChildJob::suspended);
  }

  private boolean noneExists(JobSetSpec.ReplicatedJob job) {
    for (int index = 0; index < job.replicas(); index++) {
      if (children.names.contains(spec.childName(job.name(), index))) {
        return false;
      }
    }
    return job.replicas() > 0;
  }

  private GroupPlan.Mood mood(JobSetStatus status) {
    boolean quiet =
        spec.suspend()
            || status.is(JobSetStatus.Type.SUSPENDED)
            || children.active.stream().anyMatch(ChildJob::suspended);
    return quiet ? GroupPlan.Mood.QUIET : GroupPlan.Mood.RUNNING;
  }

  /** JS-74 step 6; while a group gathers, ready Jobs mean nothing (JS-97b). */
  private JobSetStatus restarted(JobSetStatus status) {
    if (spec.suspend() || gathering(status)) {
      return status;
    }
    int up = status.replicatedJobs().stream().mapToInt(job -> job.ready() + job.succeeded()).sum();
    return up == spec.totalReplicas()
        ? JobSetConditions.clear(
            status, JobSetStatus.Type.RESTARTING, "JobsReady", "all jobs are ready", now, notes)
        : status;
  }

  private boolean gathering(JobSetStatus status) {
    if (group.isEmpty()) {
      return false;
    }
    var barrier = status.group().barrier();
    var highest = group.get().tally().atAttempt();
    return barrier.restarting()
        || (barrier.current().isPresent()
            && !highest.isEmpty()
            && highest.lastKey() > barrier.current().getAsInt());
  }

  /** JS-85. */
  private boolean succeeded() {
    var targets = spec.successPolicy().targets();
    Set<String> names = new HashSet<>(targets);
    long done =
        children.successful.stream()
            .filter(job -> targets.isEmpty() || names.contains(job.replicatedJob()))
            .count();
    int wanted =
        spec.jobs().stream()
            .filter(job -> targets.isEmpty() || names.contains(job.name()))
            .mapToInt(JobSetSpec.ReplicatedJob::replicas)
            .sum();
    return switch (spec.successPolicy().operator()) {
      case ALL -> done >= wanted;
      case ANY -> done >= 1;
    };
  }

  private void createService() {
    if (!world.service()) {
      spec.network()
          .ifPresent(network -> effects.add(new JobSetPlan.Effect.CreateService(network)));
    }
  }

  private void createClaims() {
    spec.claims().stream()
        .filter(claim -> !world.claims().contains(claim))
        .forEach(claim -> effects.add(new JobSetPlan.Effect.CreateClaim(claim)));
  }

  /** JS-106. */
  private void scale() {
    if (!gates.elastic()) {
      return;
    }
    children.active.stream()
        .filter(this::wrongSize)
        .forEach(job ->
            effects.add(
                new JobSetPlan.Effect.ScaleJob(
                    job, spec.job(job.replicatedJob()).orElseThrow().parallelism())));
  }

  private boolean wrongSize(ChildJob job) {
    var wanted = spec.job(job.replicatedJob());
    if (wanted.isEmpty() || job.deleting() || !wanted.get().indexed()) {
      return false;
    }
    int size = wanted.get().parallelism();
    return wanted.get().completions().orElse(-1) == size
        && (job.parallelism() != size || job.completions().orElse(-1) != size);
  }

  private JobSetStatus createJobs(JobSetStatus status) {
    boolean blocked =
        spec.strategy() == JobSetSpec.Strategy.BLOCKING_RECREATE && !children.previous.isEmpty();
    if (blocked) {
      return status;
    }
    boolean inOrder = !spec.suspend() && spec.startOrder() == JobSetSpec.StartOrder.IN_ORDER;
    var order = new StartOrder(spec, status, group.map(JobSetPlan.Group::tally));
    for (int position = 0; position < spec.jobs().size(); position++) {
      var job = spec.jobs().get(position);
      if (inOrder && order.started(job)) {
        continue;
      }
      if (!order.dependenciesHold(job)) {
        continue;
      }
      for (int index = 0; index < job.replicas(); index++) {
        var name = spec.childName(job.name(), index);
        if (!children.names.contains(name)) {
          effects.add(new JobSetPlan.Effect.CreateJob(position, index, name));
        }
      }
      if (inOrder) {
        return JobSetConditions.startup(status, JobSetStatus.Type.STARTUP_IN_PROGRESS, now, notes);
      }
    }
    return inOrder
        ? JobSetConditions.startup(status, JobSetStatus.Type.STARTUP_COMPLETED, now, notes)
        : status;
  }

  /** JS-92. */
  private JobSetStatus suspend(JobSetStatus status) {
    children.active.stream()
        .filter(job -> !job.suspended() && !job.deleting())
        .forEach(job -> effects.add(new JobSetPlan.Effect.SuspendJob(job)));
    var text = "jobset is suspended";
    var next =
        JobSetConditions.set(
            status, JobSetStatus.Type.SUSPENDED, "SuspendedJobs", text, now, notes);
    return JobSetConditions.clear(
        next, JobSetStatus.Type.RESTARTING, "JobSetSuspended", text, now, notes);
  }

  /** JS-93. */
  private JobSetStatus resume(JobSetStatus status) {
    boolean inOrder = spec.startOrder() == JobSetSpec.StartOrder.IN_ORDER;
    var order = new StartOrder(spec, status, group.map(JobSetPlan.Group::tally));
    for (int position = 0; position < spec.jobs().size(); position++) {
      var job = spec.jobs().get(position);
      if (inOrder && order.started(job)) {
        continue;
      }
      if (!order.dependenciesHold(job)) {
        continue;
      }
      for (var child : Children.of(children.active, job)) {
        if (child.suspended() && !child.deleting()) {
          effects.add(new JobSetPlan.Effect.ResumeJob(child, position));
        }
      }
      if (inOrder) {
        return status;
      }
    }
    return JobSetConditions.clear(
        status, JobSetStatus.Type.SUSPENDED, "ResumeJobs", "jobset is resumed", now, notes);
  }

  private JobSetPlan done(JobSetStatus written, JobSetStatus status) {
    return new JobSetPlan(effects, status, write(written, status), notes, wakeUp, question);
  }

  private JobSetPlan.Write write(JobSetStatus written, JobSetStatus status) {
    if (status.equals(written)) {
      return JobSetPlan.Write.NOTHING;
    }
    if (!status.group().barrier().equals(written.group().barrier())) {
      return JobSetPlan.Write.ORDER;
    }
    var counts = written.withReplicatedJobs(status.replicatedJobs());
    boolean countsOnly = status.equals(counts);
    boolean restarting = status.group().barrier().restarting();
    return countsOnly && restarting ? JobSetPlan.Write.LAZY : JobSetPlan.Write.NOW;
  }

  private void wake(Instant at) {
    wakeUp = at.isBefore(wakeUp) ? at : wakeUp;
  }
}
