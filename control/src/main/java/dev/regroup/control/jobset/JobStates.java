package dev.regroup.control.jobset;

import dev.regroup.client.informer.Item;
import dev.regroup.control.job.JobView;
import dev.regroup.control.pods.ControlledPod;
import dev.regroup.control.pods.GroupPod;
import dev.regroup.control.pods.PodFeed;
import dev.regroup.rules.group.JobState;
import dev.regroup.rules.job.JobPod;
import dev.regroup.rules.job.JobStatus;
import dev.regroup.rules.job.Outlook;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What the Jobs of one group are about to do, by UID (JS-160b). What a Job's own status says holds
 * for good. What its plan will say of it is a belief: kept for a while, until its status says so
 * too, then asked anew. Belongs to the group's watch, under its lock.
 */
final class JobStates {

  /** A Job controller writes down how a Job ends within moments; then it is asked again. */
  private static final Duration BELIEVED = Duration.ofSeconds(10);

  private record Belief(JobState state, Instant until) {}

  private final PodFeed pods;
  private final Map<String, Belief> beliefs = new HashMap<>();

  JobStates(PodFeed pods) {
    this.pods = pods;
  }

  /** How the Job stands by its status, else by what is believed of it. */
  JobState of(Item<JobView> job, Instant now) {
    var status = job.value().status();
    if (status.is(JobStatus.Type.FAILURE_TARGET) || status.is(JobStatus.Type.FAILED)) {
      return JobState.FAILING;
    }
    if (status.is(JobStatus.Type.SUCCESS_CRITERIA_MET) || status.is(JobStatus.Type.COMPLETE)) {
      return JobState.LEAVING;
    }
    var belief = beliefs.get(job.uid());
    if (belief != null && !belief.until().isAfter(now)) {
      beliefs.remove(job.uid());
      belief = null;
    }
    return belief == null ? JobState.RUNNING : belief.state();
  }

  /** A Job was read consistently: what will its plan say? */
  void learn(Item<JobView> job, Instant now) {
    var spec = job.value().spec();
    if (spec.isEmpty()) {
      return; // of a later version: nobody plans it (JB-42)
    }
    var known = new ArrayList<JobPod>();
    for (var pod : pods.controlledBy(job.uid())) {
      known.add(
          pod.value().group().map(JobStates::doomed).orElse(false)
              ? pod.value().job().failing()
              : pod.value().job());
    }
    var state =
        switch (Outlook.of(spec.get(), job.value().status(), known, now)) {
          case FAILS -> JobState.FAILING;
          case SUCCEEDS, SUSPENDED -> JobState.LEAVING;
          case GOES_ON -> JobState.RUNNING;
        };
    if (state == JobState.RUNNING) {
      beliefs.remove(job.uid());
    } else {
      beliefs.put(job.uid(), new Belief(state, now.plus(BELIEVED)));
    }
  }

  /** A pod fails its Job by the policy alone, which never changes: no need to read the Job. */
  boolean doomedBy(Item<JobView> job, ControlledPod pod, Instant now) {
    var spec = job.value().spec();
    boolean fails =
        spec.isPresent()
            && pod.group().map(JobStates::doomed).orElse(false)
            && Outlook.failsJob(spec.get(), pod.job());
    if (fails) {
      beliefs.putIfAbsent(job.uid(), new Belief(JobState.FAILING, now.plus(BELIEVED)));
    }
    return fails;
  }

  /** The pod has failed, or a worker of it has ended so that it will. */
  private static boolean doomed(GroupPod pod) {
    return pod.failed()
        || (!pod.succeeded()
            && pod.containers().stream()
                .filter(one -> one.role() == GroupPod.Role.WORKER)
                .flatMap(one -> one.ended().stream())
                .anyMatch(end -> end.meaning() == GroupPod.Meaning.FAILS_POD));
  }

  void forget(String uid) {
    beliefs.remove(uid);
  }

  /** When the next belief has to be confirmed. */
  Optional<Instant> recheck() {
    return beliefs.values().stream().map(Belief::until).min(Instant::compareTo);
  }
}
