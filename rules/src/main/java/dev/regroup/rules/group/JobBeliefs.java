package dev.regroup.rules.group;

import dev.regroup.rules.job.JobPod;
import dev.regroup.rules.job.JobSpec;
import dev.regroup.rules.job.JobStatus;
import dev.regroup.rules.job.Outlook;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the Jobs of one group are about to do, by UID (JS-160b). What a Job's own status says holds
 * for good. What its plan will say of it is a belief: kept for a while, until its status says so
 * too, then asked anew. A value: what changes it gives back another one.
 */
public record JobBeliefs(Map<String, Belief> byJob) {

  /** A Job controller writes down how a Job ends within moments; then it is asked again. */
  static final Duration BELIEVED = Duration.ofSeconds(10);

  public static final JobBeliefs NONE = new JobBeliefs(Map.of());

  /** Held to be so until then. */
  public record Belief(JobState state, Instant until) {}

  public JobBeliefs {
    byJob = Map.copyOf(byJob);
  }

  /** Without what was believed for long enough. */
  public JobBeliefs at(Instant now) {
    if (byJob.values().stream().allMatch(belief -> belief.until().isAfter(now))) {
      return this;
    }
    var rest = new HashMap<>(byJob);
    rest.values().removeIf(belief -> !belief.until().isAfter(now));
    return new JobBeliefs(rest);
  }

  /** How a Job stands by its status, else by what is believed of it. */
  public JobState of(String uid, JobStatus status) {
    if (status.is(JobStatus.Type.FAILURE_TARGET) || status.is(JobStatus.Type.FAILED)) {
      return JobState.FAILING;
    }
    if (status.is(JobStatus.Type.SUCCESS_CRITERIA_MET) || status.is(JobStatus.Type.COMPLETE)) {
      return JobState.LEAVING;
    }
    var belief = byJob.get(uid);
    return belief == null ? JobState.RUNNING : belief.state();
  }

  /**
   * A Job was read consistently: what will its plan say?
   *
   * @param foreseen its pods, see {@link GroupPod#foreseen}
   */
  public JobBeliefs learn(
      String uid, JobSpec spec, JobStatus status, List<JobPod> foreseen, Instant now) {
    var state =
        switch (Outlook.of(spec, status, foreseen, now)) {
          case FAILS -> JobState.FAILING;
          case SUCCEEDS, SUSPENDED -> JobState.LEAVING;
          case GOES_ON -> JobState.RUNNING;
        };
    return state == JobState.RUNNING ? without(uid) : with(uid, state, now);
  }

  /** A pod may fail its Job by the policy alone, which never changes: no need to read the Job. */
  public JobBeliefs suspect(String uid, JobSpec spec, GroupPod pod, JobPod seen, Instant now) {
    boolean fails = pod.doomed() && Outlook.failsJob(spec, seen);
    return fails && !byJob.containsKey(uid) ? with(uid, JobState.FAILING, now) : this;
  }

  /** The Job no longer counts. */
  public JobBeliefs without(String uid) {
    if (!byJob.containsKey(uid)) {
      return this;
    }
    var rest = new HashMap<>(byJob);
    rest.remove(uid);
    return new JobBeliefs(rest);
  }

  /** When the next belief has to be confirmed. */
  public Optional<Instant> recheck() {
    return byJob.values().stream().map(Belief::until).min(Instant::compareTo);
  }

  private JobBeliefs with(String uid, JobState state, Instant now) {
    var more = new HashMap<>(byJob);
    more.put(uid, new Belief(state, now.plus(BELIEVED)));
    return new JobBeliefs(more);
  }
}
