package dev.regroup.control.jobset;

import dev.regroup.client.informer.Item;
import dev.regroup.control.job.JobView;
import dev.regroup.control.pods.ControlledPod;
import dev.regroup.control.pods.PodFeed;
import dev.regroup.rules.group.Barrier;
import dev.regroup.rules.group.Counters;
import dev.regroup.rules.group.GroupPlan;
import dev.regroup.rules.group.GroupStatus;
import dev.regroup.rules.group.JobState;
import dev.regroup.rules.group.Roster;
import dev.regroup.rules.group.Tally;
import dev.regroup.rules.job.Outlook;
import dev.regroup.rules.jobset.JobSetPlan;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
  private final JobStates states;
  private Counters counters = new Counters();
  private SignReader signs = new SignReader();
  private final Map<String, Item<JobView>> jobs = new HashMap<>(); // by UID, those that count
  private GroupStatus status = GroupStatus.UNSET;
  private @Nullable Instant liftedAt;
  private @Nullable Instant waitingSince;
  private @Nullable Instant oddSince;
  private boolean broken;

  GroupWatch(PodFeed pods, Predicate<String> nodeUnreachable, InstantSource clock) {
    this.pods = pods;
    this.nodeUnreachable = nodeUnreachable;
    this.clock = clock;
    this.states = new JobStates(pods);
  }

  /** An event met a bug: what is counted can no longer be trusted and is counted anew. */
  synchronized void distrust() {
    broken = true;
  }

  /** Tells which Jobs count now, who is expected and what the status says. */
  synchronized void follow(List<Item<JobView>> current, Roster roster, GroupStatus now) {
    if (broken) {
      counters = new Counters();
      signs = new SignReader();
      jobs.clear();
      broken = false;
    }
    if (!now.barrier().current().equals(status.barrier().current())) {
      liftedAt = lastLift(now);
    }
    status = now;
    Map<String, Item<JobView>> next = new HashMap<>();
    current.forEach(job -> next.put(job.uid(), job));
    for (var gone : List.copyOf(jobs.values())) {
      if (!next.containsKey(gone.uid())) {
        counters.judge(gone.key().name(), JobState.RUNNING);
        jobs.remove(gone.uid());
        states.forget(gone.uid());
        pods.controlledBy(gone.uid()).forEach(pod -> forget(pod.uid()));
      }
    }
    for (var job : next.values()) {
      var known = jobs.put(job.uid(), job);
      if (known == null) {
        pods.controlledBy(job.uid()).forEach(this::count);
      }
      judge(job);
    }
    counters.expect(roster);
  }

  /** A Job was read consistently because a pod of it has failed (JS-160b). */
  synchronized void learn(Item<JobView> job) {
    if (jobs.containsKey(job.uid())) {
      jobs.put(job.uid(), job);
      states.learn(job, clock.instant());
      judge(job);
    }
  }

  private void judge(Item<JobView> job) {
    counters.judge(job.key().name(), states.of(job, clock.instant()));
  }

  private @Nullable Instant lastLift(GroupStatus now) {
    var newest = now.restarts().isEmpty() ? null : now.restarts().getLast().liftedAt();
    return newest != null ? newest : clock.instant();
  }

  /** A pod is there or has changed; returns whether its JobSet should look now. */
  synchronized Wake changed(Item<ControlledPod> pod) {
    return count(pod) ? wake() : Wake.NO;
  }

  /** A pod is gone. */
  synchronized Wake gone(Item<ControlledPod> pod) {
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

  private boolean count(Item<ControlledPod> pod) {
    var owner = pod.value().controller();
    var job = owner.isEmpty() ? null : jobs.get(owner.get().uid());
    if (job == null || pod.value().group().isEmpty()) {
      return forget(pod.uid());
    }
    var node =
        nodeUnreachable.test(pod.value().node())
            ? SignReader.NodeState.UNREACHABLE
            : SignReader.NodeState.REACHABLE;
    var after =
        job.value().spec().map(spec -> Outlook.givesUp(spec, pod.value().job())).orElse(false)
            ? SignReader.After.GIVES_UP_ITS_INDEX
            : SignReader.After.REPLACES_IT;
    var situation = new SignReader.Situation(status.barrier().current(), liftedAt, node, after);
    boolean news = counters.put(signs.read(job.key().name(), pod.value(), situation));
    if (states.doomedBy(job, pod.value(), clock.instant())) {
      judge(job);
    }
    return news;
  }

  private boolean forget(String uid) {
    signs.forget(uid);
    return counters.forget(uid);
  }

  private Wake wake() {
    var tally = counters.tally();
    var barrier = status.barrier();
    if (tally.failingJobs()) {
      return Wake.SOON; // until its Job says so too
    }
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
    boolean trouble = tally.missing().stream().anyMatch(one -> one.why() == Tally.Why.TROUBLE);
    boolean look = (waitingSince == null && whole) || tally.ready().size() > 1 || trouble;
    return look ? Wake.SOON : Wake.NO;
  }

  /** The group for one plan; {@code confirmed} are the Jobs read for it. */
  synchronized JobSetPlan.Group snapshot(JobSetView jobSet, Set<String> confirmed) {
    var tally = counters.tally();
    var now = clock.instant();
    Barrier barrier = status.barrier();
    boolean down = barrier.current().isEmpty() || barrier.restarting();
    boolean arrived = tally.at(barrier.next()) > 0;
    waitingSince = down && (arrived || waitingSince != null) ? or(waitingSince, now) : null;
    oddSince = GroupPlan.odd(tally, barrier) ? or(oddSince, now) : null;
    return new JobSetPlan.Group(
        tally,
        jobSet.request(),
        Optional.ofNullable(waitingSince),
        Optional.ofNullable(oddSince),
        confirmed,
        states.recheck());
  }

  private static Instant or(@Nullable Instant known, Instant now) {
    return known == null ? now : known;
  }
}
