package dev.regroup.rules.job;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A Job in a small world that performs the plans of its controller: pods are made, deleted and lose
 * their finalizer as the effects say, and the status is what was last written.
 */
final class JobFixture {

  static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  final Map<String, JobPod> pods = new LinkedHashMap<>();
  final List<JobPlan.Note> notes = new ArrayList<>();
  JobStatus status = JobStatus.EMPTY;
  JobBackOff backOff = JobBackOff.NONE;
  Instant now = NOW;
  Instant wakeUp = Instant.MAX;
  JobSpec spec;
  private int uids;

  JobFixture(JobSpec spec) {
    this.spec = spec;
  }

  static JobSpec indexed(int size) {
    return new JobSpec(
        "ns",
        "j",
        size,
        OptionalInt.of(size),
        JobSpec.Completion.INDEXED,
        6,
        OptionalInt.empty(),
        OptionalInt.empty(),
        Optional.empty(),
        List.of(),
        JobSpec.Replace.TERMINATING_OR_FAILED,
        OptionalLong.empty(),
        JobSpec.Wish.RUN,
        JobSpec.PodRestart.NEVER,
        JobSpec.Kin.ALONE);
  }

  /** One plan, all its effects. */
  JobPlan step() {
    var plan =
        JobPlan.plan(spec, status, List.copyOf(pods.values()), backOff, JobPlan.Sight.CLEAR, now);
    for (var effect : plan.effects()) {
      perform(effect);
    }
    backOff = plan.backOff();
    notes.addAll(plan.notes());
    wakeUp = plan.wakeUp();
    return plan;
  }

  /** Plans until nothing changes any more. */
  JobFixture settle() {
    for (int i = 0; i < 20; i++) {
      if (step().effects().isEmpty()) {
        return this;
      }
    }
    throw new IllegalStateException("does not settle: " + status);
  }

  void perform(JobPlan.Effect effect) {
    switch (effect) {
      case JobPlan.Effect.WriteStatus(JobStatus written) -> status = written;
      case JobPlan.Effect.CreatePods(List<JobPlan.NewPod> wanted) ->
          wanted.forEach(one -> add(one.index(), one.failureCount(), one.ignoredFailureCount()));
      case JobPlan.Effect.DeletePods(List<JobPod> gone, JobPlan.Finalizer finalizer) ->
          gone.forEach(pod -> {
            if (finalizer == JobPlan.Finalizer.UNTRACK) {
              pods.remove(pod.uid());
            } else {
              pods.put(pod.uid(), change(pod).terminating(true).pod());
            }
          });
      case JobPlan.Effect.RemoveFinalizers(List<JobPod> done) ->
          done.forEach(pod -> pods.computeIfPresent(pod.uid(), (_, known) -> known.untracked()));
    }
  }

  String add(int index, int failures, int ignored) {
    var uid = "u" + uids++;
    pods.put(
        uid,
        new JobPod(
            uid,
            "j-" + uid,
            index < 0 ? OptionalInt.empty() : OptionalInt.of(index),
            JobPod.Phase.PENDING,
            false,
            true,
            false,
            null,
            true,
            JobPod.Restarts.NONE,
            now.plusMillis(uids),
            now,
            List.of(),
            List.of(),
            failures,
            ignored,
            false));
    return uid;
  }

  /** The newest pod of an index, or the first pod of a NonIndexed Job. */
  JobPod of(int index) {
    return pods.values().stream()
        .filter(pod -> pod.index().orElse(-1) == index && pod.active())
        .reduce((_, newer) -> newer)
        .orElseThrow();
  }

  void succeed(JobPod pod) {
    pods.put(pod.uid(), change(pod).phase(JobPod.Phase.SUCCEEDED).pod());
  }

  void fail(JobPod pod, int code) {
    pods.put(pod.uid(), change(pod).phase(JobPod.Phase.FAILED).exit("main", code).pod());
  }

  void ready(JobPod pod) {
    pods.put(pod.uid(), change(pod).phase(JobPod.Phase.RUNNING).ready(true).pod());
  }

  Change change(JobPod pod) {
    return new Change(pod, now);
  }

  long active() {
    return pods.values().stream().filter(JobPod::active).count();
  }

  List<Integer> activeIndexes() {
    return pods.values().stream()
        .filter(JobPod::active)
        .map(pod -> pod.index().orElse(-1))
        .sorted()
        .toList();
  }

  /** A pod with some things different. */
  record Change(JobPod pod, Instant now) {

    Change phase(JobPod.Phase phase) {
      return with(phase, pod.terminating(), pod.ready(), pod.restarts(), pod.containers());
    }

    Change terminating(boolean terminating) {
      return with(pod.phase(), terminating, pod.ready(), pod.restarts(), pod.containers());
    }

    Change ready(boolean ready) {
      return with(pod.phase(), pod.terminating(), ready, pod.restarts(), pod.containers());
    }

    Change restarts(int restarts) {
      return restarts(new JobPod.Restarts(restarts, restarts, 0));
    }

    Change restarts(JobPod.Restarts restarts) {
      return with(pod.phase(), pod.terminating(), pod.ready(), restarts, pod.containers());
    }

    Change exit(String container, int code) {
      var containers = List.of(new JobPod.Container(container, OptionalInt.of(code)));
      return with(pod.phase(), pod.terminating(), pod.ready(), pod.restarts(), containers);
    }

    Change condition(String type) {
      return new Change(
          copy(
              pod.phase(),
              pod.terminating(),
              pod.ready(),
              pod.restarts(),
              pod.containers(),
              List.of(new JobPod.Condition(type, "True")),
              pod.workerStarted()),
          now);
    }

    Change workerStarted() {
      return new Change(
          copy(
              pod.phase(),
              pod.terminating(),
              pod.ready(),
              pod.restarts(),
              pod.containers(),
              pod.conditions(),
              true),
          now);
    }

    private Change with(
        JobPod.Phase phase,
        boolean terminating,
        boolean ready,
        JobPod.Restarts restarts,
        List<JobPod.Container> containers) {
      return new Change(
          copy(
              phase,
              terminating,
              ready,
              restarts,
              containers,
              pod.conditions(),
              pod.workerStarted()),
          now);
    }

    private JobPod copy(
        JobPod.Phase phase,
        boolean terminating,
        boolean ready,
        JobPod.Restarts restarts,
        List<JobPod.Container> containers,
        List<JobPod.Condition> conditions,
        boolean workerStarted) {
      return new JobPod(
          pod.uid(),
          pod.name(),
          pod.index(),
          phase,
          terminating,
          pod.tracked(),
          ready,
          ready ? now : null,
          pod.assigned(),
          restarts,
          pod.createdAt(),
          now,
          containers,
          conditions,
          pod.failureCount(),
          pod.ignoredFailureCount(),
          workerStarted);
    }
  }
}
