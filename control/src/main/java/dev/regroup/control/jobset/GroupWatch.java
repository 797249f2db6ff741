package dev.regroup.control.jobset;

import static java.util.stream.Collectors.toSet;

import dev.regroup.api.pod.RestartHistories;
import dev.regroup.api.tree.Owner;
import dev.regroup.client.informer.Item;
import dev.regroup.control.job.JobView;
import dev.regroup.control.pods.ControlledPod;
import dev.regroup.rules.group.Baseline;
import dev.regroup.rules.group.Counters;
import dev.regroup.rules.group.GroupPod;
import dev.regroup.rules.group.GroupPod.Role;
import dev.regroup.rules.group.GroupRestartRequest;
import dev.regroup.rules.group.GroupStatus;
import dev.regroup.rules.group.GroupTimes;
import dev.regroup.rules.group.JobBeliefs;
import dev.regroup.rules.group.JobState;
import dev.regroup.rules.group.PodSigns;
import dev.regroup.rules.group.Roster;
import dev.regroup.rules.group.Wake;
import dev.regroup.rules.job.JobPod;
import dev.regroup.rules.job.Outlook;
import dev.regroup.rules.jobset.CostNews;
import dev.regroup.rules.jobset.GroupCosts;
import dev.regroup.rules.jobset.JobSetPlan;
import dev.regroup.rules.jobset.JobSetStatus;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The pods of one JobSet, counted as they change (JS-155): knows which Jobs count, feeds the
 * counters and keeps what the rules hand back for the next look. The pod informer's thread and the
 * JobSet's worker both come here; every method holds the object's lock, and none does more than
 * O(1) work per pod that changed. Rebuilt from the caches after a restart (JS-142). Decides
 * nothing: what a pod shows, how a Job stands and when to wake up is said in {@code rules.group}.
 */
final class GroupWatch {

  private final Function<String, List<Item<ControlledPod>>> podsOf;
  private final Predicate<String> nodeUnreachable;
  private final InstantSource clock;
  private Counters counters = new Counters();
  private final CostNews costs = new CostNews();
  private Set<String> participants = Set.of(); // names of Jobs
  private final Map<String, Baseline> baselines = new HashMap<>(); // by UID of the pod
  private final Map<String, Item<JobView>> jobs = new HashMap<>(); // by UID, those that count
  private JobBeliefs beliefs = JobBeliefs.NONE;
  private GroupStatus status = GroupStatus.UNSET;
  private GroupTimes times = GroupTimes.NONE;
  private boolean broken;

  /** {@code podsOf} finds the pods of a Job by its UID. */
  GroupWatch(
      Function<String, List<Item<ControlledPod>>> podsOf,
      Predicate<String> nodeUnreachable,
      InstantSource clock) {
    this.podsOf = podsOf;
    this.nodeUnreachable = nodeUnreachable;
    this.clock = clock;
  }

  /** An event met a bug: what is counted can no longer be trusted and is counted anew. */
  synchronized void distrust() {
    broken = true;
  }

  /** Tells which Jobs count now, who is expected and what the status says. */
  synchronized void follow(List<Item<JobView>> current, Roster roster, JobSetStatus seen) {
    var now = seen.group();
    if (broken) {
      counters = new Counters();
      baselines.clear();
      jobs.clear();
      broken = false;
    }
    times = times.follow(status, now, clock.instant());
    status = now;
    Map<String, Item<JobView>> next = new HashMap<>();
    current.forEach(job -> next.put(job.uid(), job));
    for (var gone : List.copyOf(jobs.values())) {
      if (!next.containsKey(gone.uid())) {
        counters.judge(gone.key().name(), JobState.RUNNING);
        jobs.remove(gone.uid());
        beliefs = beliefs.without(gone.uid());
        podsOf.apply(gone.uid()).forEach(pod -> forget(pod.uid()));
      }
    }
    for (var job : next.values()) {
      var known = jobs.put(job.uid(), job);
      if (known == null) {
        podsOf.apply(job.uid()).forEach(this::count);
      }
      judge(job);
    }
    counters.expect(roster);
    participants = roster.entries().stream().flatMap(e -> e.jobs().stream()).collect(toSet());
    if (costs.follow(GroupCosts.open(seen))) {
      jobs.keySet().forEach(job -> podsOf.apply(job).forEach(this::listen));
    }
  }

  /** What pods of these Jobs tell of their restarts. */
  synchronized List<GroupCosts.Teller> tellers(List<Item<JobView>> all) {
    return all.stream()
        .flatMap(job -> podsOf.apply(job.uid()).stream().map(pod -> teller(job, pod)))
        .toList();
  }

  private GroupCosts.Teller teller(Item<JobView> job, Item<ControlledPod> pod) {
    return new GroupCosts.Teller(
        pod.key().name(),
        pod.value().job().active() && participants.contains(job.key().name()),
        RestartHistories.read(pod.value().story()));
  }

  /**
   * A pod tells of a restart in the write that shows it running: before that it need not be read.
   */
  private void listen(Item<ControlledPod> pod) {
    var job = jobs.get(pod.value().controller().map(Owner::uid).orElse(""));
    if (job == null || !costs.listens()) {
      return;
    }
    if (!isHeld(pod.value())) {
      costs.put(pod.uid(), teller(job, pod));
    } else if (participants.contains(job.key().name())) {
      costs.owes(pod.uid());
    }
  }

  private static boolean isHeld(ControlledPod pod) {
    return pod.job().active()
        && pod.group().stream()
            .flatMap(group -> group.containers().stream())
            .filter(one -> one.role() == Role.WORKER || one.role() == Role.HELPER)
            .noneMatch(one -> one.running() || one.ended().isPresent());
  }

  /** Whether the pods tell what the newest restart cost, and nobody was told yet. */
  synchronized boolean costNews() {
    return costs.due();
  }

  /** A Job was read consistently because a pod of it has failed (JS-160b). */
  synchronized void learn(Item<JobView> job) {
    if (!jobs.containsKey(job.uid())) {
      return;
    }
    jobs.put(job.uid(), job);
    job.value()
        .spec() // of a later version: nobody plans it (JB-42)
        .ifPresent(spec -> {
          var foreseen = podsOf.apply(job.uid()).stream().map(GroupWatch::foreseen).toList();
          beliefs = beliefs.learn(job.uid(), spec, job.value().status(), foreseen, clock.instant());
        });
    judge(job);
  }

  private static JobPod foreseen(Item<ControlledPod> pod) {
    var seen = pod.value().job();
    return pod.value().group().map(group -> group.foreseen(seen)).orElse(seen);
  }

  private void judge(Item<JobView> job) {
    beliefs = beliefs.at(clock.instant());
    counters.judge(job.key().name(), beliefs.of(job.uid(), job.value().status()));
  }

  /** A pod is there or has changed; returns whether its JobSet should look now. */
  synchronized Wake changed(Item<ControlledPod> pod) {
    boolean before = costs.due();
    var wake = wake(count(pod));
    return wake == Wake.NO && !before && costs.due() ? Wake.SOON : wake;
  }

  /**
   * Something beside a pod has changed, and it is counted again as it is now. It is asked for under
   * the lock: an older state must not come after a newer one, which nobody would tell again.
   */
  synchronized Wake lookAgain(Supplier<Optional<Item<ControlledPod>>> now) {
    return now.get().map(this::changed).orElse(Wake.NO);
  }

  /** A pod is gone. */
  synchronized Wake gone(Item<ControlledPod> pod) {
    baselines.remove(pod.uid());
    costs.forget(pod.uid());
    var owner = pod.value().controller();
    boolean counts = owner.isPresent() && jobs.containsKey(owner.get().uid());
    return wake(counts ? counters.remove(pod.uid()) : counters.forget(pod.uid()));
  }

  private Wake wake(boolean news) {
    return news ? Wake.of(counters.tally(), status.barrier(), times) : Wake.NO;
  }

  private boolean count(Item<ControlledPod> pod) {
    var owner = pod.value().controller();
    var job = owner.isEmpty() ? null : jobs.get(owner.get().uid());
    var group = pod.value().group();
    if (job == null || group.isEmpty()) {
      return forget(pod.uid());
    }
    var seen =
        PodSigns.read(
            job.key().name(),
            group.get(),
            pod.value().job(),
            situation(job, pod.value()),
            baselines.getOrDefault(pod.uid(), Baseline.NONE));
    baselines.put(pod.uid(), seen.baseline());
    listen(pod);
    boolean news = counters.put(seen.reading());
    suspect(job, group.get(), pod.value().job());
    return news;
  }

  private PodSigns.Situation situation(Item<JobView> job, ControlledPod pod) {
    var node =
        nodeUnreachable.test(pod.node())
            ? PodSigns.NodeState.UNREACHABLE
            : PodSigns.NodeState.REACHABLE;
    boolean givesUp =
        job.value().spec().map(spec -> Outlook.givesUp(spec, pod.job())).orElse(false);
    return new PodSigns.Situation(
        status.barrier().current(),
        times.liftedAt().orElse(null),
        node,
        givesUp ? PodSigns.After.GIVES_UP_ITS_INDEX : PodSigns.After.REPLACES_IT);
  }

  private void suspect(Item<JobView> job, GroupPod pod, JobPod seen) {
    var spec = job.value().spec();
    if (spec.isPresent()) {
      var before = beliefs;
      var now = clock.instant();
      beliefs = beliefs.at(now).suspect(job.uid(), spec.get(), pod, seen, now);
      if (!beliefs.equals(before)) {
        judge(job);
      }
    }
  }

  private boolean forget(String uid) {
    baselines.remove(uid);
    costs.forget(uid);
    return counters.forget(uid);
  }

  /** How many pods have come to the attempt that the group gathers for; none while it runs. */
  synchronized int atBarrier() {
    var barrier = status.barrier();
    return barrier.gathering() ? counters.tally().at(barrier.next()) : 0;
  }

  /** The group for one plan; {@code confirmed} are the Jobs read for it. */
  synchronized JobSetPlan.Group snapshot(
      Optional<GroupRestartRequest> request, Set<String> confirmed) {
    var tally = counters.tally();
    times = times.look(tally, status.barrier(), clock.instant());
    return new JobSetPlan.Group(
        tally, request, times.waitingSince(), times.oddSince(), confirmed, beliefs.recheck());
  }
}
