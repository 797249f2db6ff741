package dev.regroup.rules.jobset;

import dev.regroup.rules.group.AttemptReport;
import dev.regroup.rules.group.Counters;
import dev.regroup.rules.group.JobState;
import dev.regroup.rules.group.PodReading;
import dev.regroup.rules.group.Sign;
import dev.regroup.rules.job.FailurePolicy;
import dev.regroup.rules.job.JobBackOff;
import dev.regroup.rules.job.JobPlan;
import dev.regroup.rules.job.JobPod;
import dev.regroup.rules.job.JobSpec;
import dev.regroup.rules.job.JobStatus;
import dev.regroup.rules.job.Outlook;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;

/**
 * One Job of a running group whose worker ends, with the real plans of Job and JobSet behind
 * watches of their own: pods and Jobs arrive in any order, drawn from a seed. The plans see what
 * was told to them; only a question is answered by the truth.
 */
final class PolicyWorld {

  static final String JOB = "a-w-0";
  private static final Instant NOW = JobSetFixture.NOW;

  /** Whether the JobSet's controller asks before it decides. */
  enum Asks {
    YES,
    NEVER
  }

  final List<String> log = new ArrayList<>();
  private final Random random;
  private final Asks asks;
  private final JobSpec jobSpec;
  private final JobSetSpec spec;

  // The truth.
  private final Map<String, JobPod> pods = new LinkedHashMap<>();
  private JobStatus job = JobStatus.EMPTY;
  JobSetStatus status = JobSetStatus.EMPTY;

  // What each watch has still to tell.
  private final Deque<JobPod> toJob = new ArrayDeque<>();
  private final Deque<JobPod> toSet = new ArrayDeque<>();
  private final Deque<JobStatus> jobsToSet = new ArrayDeque<>();

  // What the controllers know.
  private final Map<String, JobPod> jobKnows = new LinkedHashMap<>();
  private final Map<String, JobPod> setKnows = new LinkedHashMap<>();
  private final Counters counters = new Counters();
  private JobStatus setKnowsJob = job;
  int questions;

  PolicyWorld(long seed, int maxRestarts, JobSetSpec.FailureAction action, Asks asks) {
    this.random = new Random(seed);
    this.asks = asks;
    int size = 2 + random.nextInt(3);
    this.jobSpec = jobSpec(size);
    var rule =
        new JobSetSpec.FailureRule("r", action, List.of("PodFailurePolicy"), List.of(), List.of());
    var replicated =
        new JobSetSpec.ReplicatedJob(
            "w", "default", 1, size, OptionalInt.of(size), true, List.of(), true);
    this.spec =
        JobSetFixture.failing(
            JobSetFixture.spec(replicated),
            maxRestarts,
            JobSetSpec.Strategy.IN_PLACE_RESTART,
            rule);
    for (int index = 0; index < size; index++) {
      var pod = pod(index, JobPod.Phase.RUNNING, false, OptionalInt.empty());
      pods.put(pod.uid(), pod);
      jobKnows.put(pod.uid(), pod);
      hear(pod);
    }
    look(); // lifts the barrier
    if (status.group().barrier().current().isEmpty()) {
      throw new IllegalStateException("the barrier is not lifted: " + status);
    }
  }

  private static JobSpec jobSpec(int size) {
    var fatal =
        new FailurePolicy.Rule(
            FailurePolicy.Action.FAIL_JOB, null, FailurePolicy.Operator.IN, List.of(3), List.of());
    return new JobSpec(
        "ns",
        JOB,
        size,
        OptionalInt.of(size),
        JobSpec.Completion.INDEXED,
        Integer.MAX_VALUE,
        OptionalInt.empty(),
        OptionalInt.empty(),
        Optional.of(new FailurePolicy(List.of(fatal))),
        List.of(),
        JobSpec.Replace.FAILED,
        OptionalLong.empty(),
        JobSpec.Wish.RUN,
        JobSpec.PodRestart.NEVER,
        JobSpec.Kin.IN_PLACE_JOBSET);
  }

  /** A worker ends with this code and fails its pod; everybody hears of it some time. */
  PolicyWorld exits(int code) {
    int index = random.nextInt(pods.size());
    log.add("pod " + index + " exits with " + code);
    changed(pod(index, JobPod.Phase.FAILED, false, OptionalInt.of(code)));
    for (int step = 0; step < 1_000 && !decided(); step++) {
      step();
    }
    return this;
  }

  private boolean decided() {
    return status.finished() || status.restarts() > 0 || status.group().barrier().restarting();
  }

  private void step() {
    switch (random.nextInt(5)) {
      case 0 -> {
        if (!toJob.isEmpty()) {
          var pod = toJob.poll();
          jobKnows.put(pod.uid(), pod);
        }
      }
      case 1 -> runJob();
      case 2 -> {
        if (!toSet.isEmpty()) {
          hear(toSet.poll());
          look();
        }
      }
      case 3 -> {
        if (!jobsToSet.isEmpty()) {
          setKnowsJob = jobsToSet.poll();
          look();
        }
      }
      default -> endDeleted();
    }
  }

  private void runJob() {
    var plan =
        JobPlan.plan(
            jobSpec,
            job,
            List.copyOf(jobKnows.values()),
            JobBackOff.NONE,
            JobPlan.Sight.CLEAR,
            NOW);
    for (var effect : plan.effects()) {
      switch (effect) {
        case JobPlan.Effect.WriteStatus(JobStatus written) -> {
          job = written;
          jobsToSet.add(written);
          log.add("job writes " + written.conditions());
        }
        case JobPlan.Effect.DeletePods(List<JobPod> gone, _) ->
            gone.forEach(pod -> delete(pod.uid()));
        case JobPlan.Effect.RemoveFinalizers(List<JobPod> counted) ->
            counted.forEach(pod -> jobKnows.put(pod.uid(), pod.untracked()));
        case JobPlan.Effect.CreatePods _ -> {} // the story ends before
      }
    }
  }

  private void delete(String uid) {
    var pod = pods.get(uid);
    if (pod != null && pod.active()) {
      changed(pod(pod.index().orElseThrow(), pod.phase(), true, OptionalInt.empty()));
    }
  }

  /** The node has stopped a pod that was deleted. */
  private void endDeleted() {
    for (var pod : List.copyOf(pods.values())) {
      if (pod.terminating() && !pod.terminal()) {
        changed(pod(pod.index().orElseThrow(), JobPod.Phase.FAILED, true, OptionalInt.of(143)));
        return;
      }
    }
  }

  private void changed(JobPod pod) {
    pods.put(pod.uid(), pod);
    toJob.add(pod);
    toSet.add(pod);
    log.add(pod.uid() + " is " + pod.phase() + (pod.terminating() ? ", deleted" : ""));
  }

  private void hear(JobPod pod) {
    setKnows.put(pod.uid(), pod);
    Sign sign = null;
    if (pod.phase() == JobPod.Phase.FAILED) {
      sign = Sign.of(Sign.Kind.POD_FAILED, pod.name());
    } else if (pod.terminating()) {
      sign = Sign.of(Sign.Kind.POD_DELETED, pod.name());
    }
    counters.put(
        new PodReading(
            pod.uid(),
            pod.name(),
            JOB,
            pod.index(),
            new AttemptReport.At(0),
            sign == null ? PodReading.Life.LIVE : PodReading.Life.DEAD,
            sign,
            0,
            false));
  }

  private void look() {
    Set<String> confirmed = new HashSet<>(asks == Asks.NEVER ? Set.of(JOB) : Set.of());
    if (setKnowsJob.is(JobStatus.Type.FAILURE_TARGET) || setKnowsJob.is(JobStatus.Type.FAILED)) {
      counters.judge(JOB, JobState.FAILING);
    }
    var children = List.of(child());
    counters.expect(JobSetPlan.roster(spec, status, JobSetGates.ALL, children));
    var plan = plan(children, confirmed);
    while (plan.question().isPresent()) {
      questions++;
      var fails = Outlook.of(jobSpec, job, List.copyOf(setKnows.values()), NOW) == Outlook.FAILS;
      log.add("asked: the job " + (fails ? "fails" : "goes on"));
      counters.judge(JOB, fails ? JobState.FAILING : JobState.RUNNING);
      confirmed.add(JOB);
      plan = plan(children, confirmed);
    }
    if (!plan.status().equals(status)) {
      log.add("jobset writes " + plan.status().group().barrier() + plan.status().conditions());
    }
    status = plan.status();
  }

  private JobSetPlan plan(List<ChildJob> children, Set<String> confirmed) {
    var group =
        new JobSetPlan.Group(
            counters.tally(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            confirmed,
            Optional.empty());
    return JobSetPlan.plan(
        spec,
        status,
        JobSetGates.ALL,
        children,
        new JobSetPlan.World(true, Set.of()),
        Optional.of(group),
        (pattern, text) -> false,
        NOW);
  }

  private ChildJob child() {
    var failed = setKnowsJob.condition(JobStatus.Type.FAILED);
    ChildJob.End end =
        failed.isPresent()
            ? new ChildJob.End.Failed(failed.get().reason(), failed.get().message(), NOW)
            : new ChildJob.End.None();
    int size = jobSpec.parallelism();
    return new ChildJob(
        JOB,
        "uid",
        "w",
        OptionalInt.of(0),
        OptionalInt.of(0),
        OptionalInt.of(0),
        false,
        false,
        true,
        end,
        size,
        size,
        0,
        size,
        OptionalInt.of(size));
  }

  private static JobPod pod(int index, JobPod.Phase phase, boolean terminating, OptionalInt code) {
    return new JobPod(
        "p" + index,
        JOB + "-" + index + "-x",
        OptionalInt.of(index),
        phase,
        terminating,
        true,
        phase == JobPod.Phase.RUNNING,
        NOW,
        true,
        JobPod.Restarts.NONE,
        NOW,
        NOW,
        List.of(new JobPod.Container("worker", code)),
        List.of(),
        0,
        0,
        true);
  }
}
