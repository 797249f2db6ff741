package dev.regroup.rules.jobset;

import dev.regroup.rules.group.AttemptReport;
import dev.regroup.rules.group.Counters;
import dev.regroup.rules.group.GroupRestartRequest;
import dev.regroup.rules.group.JobState;
import dev.regroup.rules.group.PodReading;
import dev.regroup.rules.group.Sign;
import dev.regroup.rules.jobset.JobSetPlan.Effect;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A JobSet in a small world that performs the plans of its controller: Jobs are made, deleted,
 * suspended and resized as the effects say, and the status is what was last written.
 */
final class JobSetFixture {

  static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  final Map<String, ChildJob> jobs = new LinkedHashMap<>();
  final List<JobSetPlan.Note> notes = new ArrayList<>();
  final List<Effect> effects = new ArrayList<>();
  final Counters counters = new Counters();
  JobSetStatus status = JobSetStatus.EMPTY;
  JobSetGates gates = JobSetGates.ALL;
  Set<String> claims = new TreeSet<>();
  boolean service;
  Instant now = NOW;
  Optional<GroupRestartRequest> request = Optional.empty();
  Optional<Instant> waitingSince = Optional.empty();
  Optional<Instant> recheck = Optional.empty();

  /** What a Job answers when it is asked how it stands; those not named just run. */
  final Map<String, JobState> outlooks = new LinkedHashMap<>();

  /** The Jobs that were asked, in order. */
  final List<String> questions = new ArrayList<>();

  private final Set<String> confirmed = new TreeSet<>();
  JobSetSpec spec;
  int orders;
  private int uids;

  JobSetFixture(JobSetSpec spec) {
    this.spec = spec;
  }

  /** A group that runs: every pod has come to attempt 0 and the barrier is lifted. */
  static JobSetFixture lifted(JobSetSpec spec) {
    var set = new JobSetFixture(spec).settle();
    set.reportAll(0, set.jobs.keySet().toArray(String[]::new));
    set.settle();
    if (set.current() != 0) {
      throw new IllegalStateException("the barrier is not lifted: " + set.status);
    }
    return set;
  }

  /** The attempt that may run, -1 before the first. */
  int current() {
    return status.group().barrier().current().orElse(-1);
  }

  /** The last attempt that is over, -1 when there is none. */
  int previous() {
    return status.group().barrier().previous().orElse(-1);
  }

  static JobSetSpec.ReplicatedJob job(
      String name, int replicas, JobSetSpec.Dependency... dependsOn) {
    return new JobSetSpec.ReplicatedJob(
        name, "default", replicas, 2, OptionalInt.of(2), true, List.of(dependsOn), true);
  }

  static JobSetSpec spec(JobSetSpec.ReplicatedJob... jobs) {
    return new JobSetSpec(
        "default",
        "a",
        "uid-a",
        List.of(jobs),
        Optional.of(new JobSetSpec.Network("a", true)),
        new JobSetSpec.SuccessPolicy(JobSetSpec.Operator.ALL, List.of()),
        Optional.empty(),
        JobSetSpec.StartOrder.ANY_ORDER,
        false,
        Optional.empty(),
        OptionalInt.empty(),
        List.of());
  }

  static JobSetSpec failing(
      JobSetSpec spec,
      int maxRestarts,
      JobSetSpec.Strategy strategy,
      JobSetSpec.FailureRule... rules) {
    return new JobSetSpec(
        spec.namespace(),
        spec.name(),
        spec.uid(),
        spec.jobs(),
        spec.network(),
        spec.successPolicy(),
        Optional.of(new JobSetSpec.FailurePolicy(maxRestarts, strategy, List.of(rules))),
        spec.startOrder(),
        spec.suspend(),
        spec.coordinator(),
        spec.ttlSecondsAfterFinished(),
        spec.claims());
  }

  static JobSetSpec suspended(JobSetSpec spec, boolean suspend) {
    return with(spec, spec.jobs(), spec.successPolicy(), spec.startOrder(), suspend);
  }

  static JobSetSpec with(
      JobSetSpec spec,
      List<JobSetSpec.ReplicatedJob> jobs,
      JobSetSpec.SuccessPolicy success,
      JobSetSpec.StartOrder order,
      boolean suspend) {
    return new JobSetSpec(
        spec.namespace(),
        spec.name(),
        spec.uid(),
        jobs,
        spec.network(),
        success,
        spec.failurePolicy(),
        order,
        suspend,
        spec.coordinator(),
        spec.ttlSecondsAfterFinished(),
        spec.claims());
  }

  JobSetPlan step() {
    var children = List.copyOf(jobs.values());
    counters.expect(JobSetPlan.roster(spec, status, gates, children));
    var plan = plan(children);
    while (plan.question().isPresent()) {
      var job = plan.question().get().job();
      questions.add(job);
      counters.judge(job, outlooks.getOrDefault(job, JobState.RUNNING));
      confirmed.add(job);
      plan = plan(children);
    }
    confirmed.clear();
    plan.effects().forEach(this::perform);
    effects.addAll(plan.effects());
    notes.addAll(plan.notes());
    orders += plan.write() == JobSetPlan.Write.ORDER ? 1 : 0;
    status = plan.status();
    return plan;
  }

  private JobSetPlan plan(List<ChildJob> children) {
    var group =
        new JobSetPlan.Group(
            counters.tally(), request, waitingSince, Optional.empty(), confirmed, recheck);
    return JobSetPlan.plan(
        spec,
        status,
        gates,
        children,
        new JobSetPlan.World(service, claims),
        Optional.of(group),
        (pattern, text) -> Pattern.compile(pattern).matcher(text).find(),
        now);
  }

  JobSetFixture settle() {
    for (int i = 0; i < 20; i++) {
      var plan = step();
      if (plan.effects().isEmpty() && plan.write() == JobSetPlan.Write.NOTHING) {
        return this;
      }
    }
    throw new IllegalStateException("does not settle: " + status);
  }

  private void perform(Effect effect) {
    switch (effect) {
      case Effect.DeleteJob(ChildJob job) -> jobs.remove(job.name());
      case Effect.DeleteJobSet() -> {}
      case Effect.CreateService _ -> service = true;
      case Effect.CreateClaim(String template) -> claims.add(template);
      case Effect.CreateJob(int position, int index, String name) -> create(position, index, name);
      case Effect.ScaleJob(ChildJob job, int size) ->
          put(job, job.suspended(), job.end(), job.ready(), size);
      case Effect.SuspendJob(ChildJob job) -> put(job, true, job.end(), 0, job.parallelism());
      case Effect.ResumeJob(ChildJob job, _) ->
          put(job, false, job.end(), job.ready(), job.parallelism());
    }
  }

  private void create(int position, int index, String name) {
    if (jobs.containsKey(name)) {
      throw new IllegalStateException(name + " is there already");
    }
    var labels = ChildLabels.of(spec, status, gates, position, index);
    var replicated = spec.jobs().get(position);
    jobs.put(
        name,
        new ChildJob(
            name,
            "u" + uids++,
            replicated.name(),
            OptionalInt.of(index),
            number(labels.get("jobset.sigs.k8s.io/restart-attempt")),
            number(labels.get("jobset.sigs.k8s.io/job-restart-attempt")),
            false,
            spec.suspend(),
            false,
            new ChildJob.End.None(),
            0,
            0,
            0,
            replicated.parallelism(),
            replicated.completions()));
  }

  private static OptionalInt number(@Nullable String text) {
    return text == null ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(text));
  }

  private void put(ChildJob job, boolean suspended, ChildJob.End end, int ready, int size) {
    jobs.put(
        job.name(),
        new ChildJob(
            job.name(),
            job.uid(),
            job.replicatedJob(),
            job.jobIndex(),
            job.restartAttempt(),
            job.jobRestartAttempt(),
            job.deleting(),
            suspended,
            job.started(),
            end,
            ready,
            ready,
            0,
            size,
            OptionalInt.of(size)));
  }

  /** A Job with some things different. */
  static final class Change {
    private ChildJob job;

    private Change(ChildJob job) {
      this.job = job;
    }

    Change replicatedJob(String name) {
      return set(name, job.jobIndex(), job.restartAttempt(), job.jobRestartAttempt());
    }

    Change jobIndex(OptionalInt index) {
      return set(job.replicatedJob(), index, job.restartAttempt(), job.jobRestartAttempt());
    }

    Change restartAttempt(OptionalInt attempt) {
      return set(job.replicatedJob(), job.jobIndex(), attempt, job.jobRestartAttempt());
    }

    Change jobRestartAttempt(OptionalInt attempt) {
      return set(job.replicatedJob(), job.jobIndex(), job.restartAttempt(), attempt);
    }

    Change deleting(boolean deleting) {
      return set(deleting, job.suspended(), job.active(), job.ready(), job.succeeded());
    }

    Change suspended(boolean suspended) {
      return set(job.deleting(), suspended, job.active(), job.ready(), job.succeeded());
    }

    Change active(int active) {
      return set(job.deleting(), job.suspended(), active, job.ready(), job.succeeded());
    }

    Change ready(int ready) {
      return set(job.deleting(), job.suspended(), job.active(), ready, job.succeeded());
    }

    Change succeeded(int succeeded) {
      return set(job.deleting(), job.suspended(), job.active(), job.ready(), succeeded);
    }

    Change size(int size) {
      job =
          new ChildJob(
              job.name(),
              job.uid(),
              job.replicatedJob(),
              job.jobIndex(),
              job.restartAttempt(),
              job.jobRestartAttempt(),
              job.deleting(),
              job.suspended(),
              job.started(),
              job.end(),
              job.active(),
              job.ready(),
              job.succeeded(),
              size,
              OptionalInt.of(size));
      return this;
    }

    private Change set(
        String replicatedJob, OptionalInt index, OptionalInt attempt, OptionalInt jobAttempt) {
      job =
          new ChildJob(
              job.name(),
              job.uid(),
              replicatedJob,
              index,
              attempt,
              jobAttempt,
              job.deleting(),
              job.suspended(),
              job.started(),
              job.end(),
              job.active(),
              job.ready(),
              job.succeeded(),
              job.parallelism(),
              job.completions());
      return this;
    }

    private Change set(boolean deleting, boolean suspended, int active, int ready, int succeeded) {
      job =
          new ChildJob(
              job.name(),
              job.uid(),
              job.replicatedJob(),
              job.jobIndex(),
              job.restartAttempt(),
              job.jobRestartAttempt(),
              deleting,
              suspended,
              job.started(),
              job.end(),
              active,
              ready,
              succeeded,
              job.parallelism(),
              job.completions());
      return this;
    }
  }

  void put(ChildJob job, UnaryOperator<Change> change) {
    jobs.put(job.name(), change.apply(new Change(job)).job);
  }

  private ChildJob job(String name) {
    var job = jobs.get(name);
    if (job == null) {
      throw new IllegalStateException("no Job " + name + " in " + jobs.keySet());
    }
    return job;
  }

  void ready(String... names) {
    for (var name : names) {
      var job = job(name);
      put(job, job.suspended(), job.end(), job.parallelism(), job.parallelism());
    }
  }

  void complete(String name) {
    var job = job(name);
    put(job, job.suspended(), new ChildJob.End.Complete(), 0, job.parallelism());
  }

  void fail(String name, String reason, String message, Instant at) {
    var job = job(name);
    put(job, job.suspended(), new ChildJob.End.Failed(reason, message, at), 0, job.parallelism());
  }

  void fail(String name) {
    fail(name, "BackoffLimitExceeded", "Job has reached the specified backoff limit", now);
  }

  /** The pod of an index reports an attempt. */
  void report(String job, int index, int attempt) {
    read(job, index, attempt, PodReading.Life.LIVE, null);
  }

  void reportAll(int attempt, String... names) {
    for (var name : names) {
      for (int index = 0; index < job(name).parallelism(); index++) {
        report(name, index, attempt);
      }
    }
  }

  void exits(String job, int index, int attempt) {
    var sign = Sign.of(Sign.Kind.WORKER_EXITED, job + "-" + index + "-x", "worker", 1);
    read(job, index, attempt, PodReading.Life.LIVE, sign);
  }

  void succeeds(String job, int index, int attempt) {
    read(job, index, attempt, PodReading.Life.SUCCEEDED, null);
  }

  private void read(String job, int index, int attempt, PodReading.Life life, @Nullable Sign sign) {
    var uid = job + "/" + index;
    counters.put(
        new PodReading(
            uid,
            job + "-" + index + "-x",
            job,
            OptionalInt.of(index),
            new AttemptReport.At(attempt),
            life,
            sign,
            0,
            false));
  }

  void podsGone() {
    jobs.keySet().forEach(job -> List.of(0, 1, 2).forEach(i -> counters.forget(job + "/" + i)));
  }

  String reason(JobSetStatus.Type type) {
    return status.condition(type).map(JobSetStatus.Condition::reason).orElse("");
  }
}
