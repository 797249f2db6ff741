package dev.regroup.control.jobset;

import dev.regroup.client.Item;
import dev.regroup.control.job.JobView;
import dev.regroup.control.pods.PodFeed;
import dev.regroup.control.pods.PodView;
import dev.regroup.rules.group.Barrier;
import dev.regroup.rules.group.Counters;
import dev.regroup.rules.group.GroupPlan;
import dev.regroup.rules.group.GroupStatus;
import dev.regroup.rules.group.Roster;
import dev.regroup.rules.job.FailurePolicy;
import dev.regroup.rules.job.JobStatus;
import dev.regroup.rules.jobset.JobSetPlan;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The pods of one JobSet, counted as they change (JS-155). The pod informer's thread and the
 * JobSet's worker both come here; every method holds the object's lock, and none does more than
 * O(1) work per pod that changed. Rebuilt from the caches after a restart (JS-142).
 */
final class GroupWatch {

  private final PodFeed pods;
  private final Predicate<String> nodeUnreachable;
  private final InstantSource clock;
  private final Counters counters = new Counters();
  private final SignReader signs = new SignReader();
  private final Map<String, Item<JobView>> jobs = new HashMap<>(); // by UID, those that count
  private GroupStatus status = GroupStatus.UNSET;
  private @Nullable Instant liftedAt;
  private @Nullable Instant waitingSince;
  private @Nullable Instant oddSince;

  GroupWatch(PodFeed pods, Predicate<String> nodeUnreachable, InstantSource clock) {
    this.pods = pods;
    this.nodeUnreachable = nodeUnreachable;
    this.clock = clock;
  }

  /** Tells which Jobs count now, who is expected and what the status says. */
  synchronized void follow(List<Item<JobView>> current, Roster roster, GroupStatus now) {
    if (!now.barrier().current().equals(status.barrier().current())) {
      liftedAt = lastLift(now);
    }
    status = now;
    Map<String, Item<JobView>> next = new HashMap<>();
    current.forEach(job -> next.put(job.uid(), job));
    for (var gone : List.copyOf(jobs.keySet())) {
      if (!next.containsKey(gone)) {
        jobs.remove(gone);
        pods.controlledBy(gone).forEach(pod -> forget(pod.uid()));
      }
    }
    for (var job : next.values()) {
      var known = jobs.put(job.uid(), job);
      if (known == null || failing(known.value()) != failing(job.value())) {
        pods.controlledBy(job.uid()).forEach(this::count);
      }
    }
    counters.expect(roster);
  }

  private @Nullable Instant lastLift(GroupStatus now) {
    var newest = now.restarts().isEmpty() ? null : now.restarts().getLast().liftedAt();
    return newest != null ? newest : clock.instant();
  }

  /** A pod is there or has changed; returns whether its JobSet should look now. */
  synchronized Wake changed(Item<PodView> pod) {
    return count(pod) ? wake() : Wake.NO;
  }

  /** A pod is gone. */
  synchronized Wake gone(Item<PodView> pod) {
    signs.forget(pod.uid());
    var owner = pod.value().controller();
    boolean counts = owner.isPresent() && jobs.containsKey(owner.get().uid());
    boolean news = counts ? counters.remove(pod.uid()) : counters.forget(pod.uid());
    return news ? wake() : Wake.NO;
  }

  enum Wake {
    NO,
    /** Something to look at, when there is time. */
    SOON,
    /** The group needs a signal. */
    NOW
  }

  private boolean count(Item<PodView> pod) {
    var owner = pod.value().controller();
    var job = owner.isEmpty() ? null : jobs.get(owner.get().uid());
    if (job == null || pod.value().group().isEmpty()) {
      return forget(pod.uid());
    }
    var node =
        nodeUnreachable.test(pod.value().node())
            ? SignReader.NodeState.UNREACHABLE
            : SignReader.NodeState.REACHABLE;
    boolean failing = failing(job.value()) || failsItsJob(job.value(), pod.value());
    var situation =
        new SignReader.Situation(
            status.barrier().current(),
            liftedAt,
            node,
            failing ? SignReader.JobState.FAILING : SignReader.JobState.RUNNING);
    return counters.put(signs.read(job.key().name(), pod.value(), situation));
  }

  private boolean forget(String uid) {
    signs.forget(uid);
    return counters.forget(uid);
  }

  /** Its pods go because it has failed; the failure policy will decide (JS-148). */
  private static boolean failing(JobView job) {
    return job.status().is(JobStatus.Type.FAILURE_TARGET) || job.status().is(JobStatus.Type.FAILED);
  }

  /** The pod's failure fails its Job: counted there, not here (AS-57, AS-58). */
  private static boolean failsItsJob(JobView job, PodView pod) {
    var spec = job.spec();
    if (spec.isEmpty() || !pod.group().orElseThrow().failed()) {
      return false;
    }
    return spec.get()
        .podFailurePolicy()
        .flatMap(policy -> policy.judge(spec.get().namespace(), pod.job()))
        .map(verdict -> verdict.action() == FailurePolicy.Action.FAIL_JOB)
        .orElse(false);
  }

  private Wake wake() {
    var tally = counters.tally();
    var barrier = status.barrier();
    var inStep = tally.inStep();
    if (inStep.isPresent() && inStep.getAsInt() == barrier.next()) {
      return Wake.NOW;
    }
    boolean runs = barrier.current().isPresent() && !barrier.restarting();
    if (runs) {
      int current = barrier.current().getAsInt();
      boolean news =
          tally.signs().containsKey(current)
              || tally.signs().containsKey(current + 1)
              || tally.at(current + 1) > 0;
      return news ? Wake.NOW : GroupPlan.odd(tally, barrier) ? Wake.SOON : Wake.NO;
    }
    // Start order and waiting texts look at whole replicated jobs and at the first arrival.
    boolean whole =
        tally.ready().values().stream()
            .anyMatch(perAttempt -> perAttempt.containsKey(barrier.target()));
    boolean look = (waitingSince == null && whole) || tally.ready().size() > 1;
    return look ? Wake.SOON : Wake.NO;
  }

  /** The group for one plan. */
  synchronized JobSetPlan.Group snapshot(JobSetView jobSet) {
    var tally = counters.tally();
    var now = clock.instant();
    Barrier barrier = status.barrier();
    boolean down = barrier.current().isEmpty() || barrier.restarting();
    boolean arrived = tally.at(barrier.next()) > 0;
    waitingSince = down && (arrived || waitingSince != null) ? or(waitingSince, now) : null;
    oddSince = GroupPlan.odd(tally, barrier) ? or(oddSince, now) : null;
    return new JobSetPlan.Group(
        tally, jobSet.request(), Optional.ofNullable(waitingSince), Optional.ofNullable(oddSince));
  }

  private static Instant or(@Nullable Instant known, Instant now) {
    return known == null ? now : known;
  }
}
