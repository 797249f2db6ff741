package dev.regroup.cli.run;

import static dev.regroup.rules.Stages.Moment.EXIT_SEEN;
import static dev.regroup.rules.Stages.Moment.FOUND_HANGING;

import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.jobset.GroupCosts;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.progress.ProgramBreak;
import dev.regroup.rules.progress.RestartCost;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * One restart that happened, with all that is known of it.
 *
 * @param attempt the group went on to, 0 for the restart of a single pod
 * @param cause in words, empty if nobody told
 * @param culprit the pod that caused it, empty if none did
 * @param instance of the culprit's container that ended
 * @param settled whether its group works again; if not, its cost grows until now
 * @param pods everybody it concerned
 */
record RestartFact(
    Kind kind,
    String workload,
    int attempt,
    String cause,
    String culprit,
    ContainerId instance,
    RestartCost cost,
    boolean settled,
    List<Part> pods) {

  /** What was restarted. */
  enum Kind {
    IN_PLACE("inPlace"),
    RECREATION("recreation"),
    POD("pod");

    private final String word;

    Kind(String word) {
      this.word = word;
    }

    String word() {
      return word;
    }
  }

  /** What a pod had to do with it. */
  enum Role {
    CULPRIT("culprit"),
    FOLLOWER("follower"),
    /** It is new: the one before it was deleted or lost. */
    REPLACEMENT("replacement");

    private final String word;

    Role(String word) {
      this.word = word;
    }

    String word() {
      return word;
    }
  }

  /** The part of one pod. */
  record Part(FollowedPod pod, Role role, Map<Moment, Instant> moments, ProgramBreak program) {

    RestartCost.Share share() {
      return new RestartCost.Share(pod.name(), moments, program);
    }
  }

  /** All restarts until now, oldest first. */
  static List<RestartFact> of(RunProgress progress, Instant now) {
    var facts = new ArrayList<RestartFact>();
    var counts = progress.counts();
    var groups = together(counts.pods());
    var inPlace = progress.groupRestarts();
    for (int i = 0; i < inPlace.size(); i++) {
      var restart = inPlace.get(i);
      var members =
          groups.stream()
              .filter(group -> group.getFirst().pod().workload().equals(restart.workload()))
              .filter(group -> isAround(group, restart.liftedAt()))
              .findFirst()
              .orElse(List.of());
      var told = firstToExit(members, restart).map(restart::because).orElse(restart);
      var next = next(inPlace, i);
      var fact = inPlace(told, members, counts.pods(), next);
      boolean newest = next.equals(Instant.MAX) && restart.cost() == null;
      facts.add(newest && isDown(fact, members, progress) ? fact.until(now, false) : fact);
    }
    groups.stream()
        .filter(group -> !counts.isInGroup(group.getFirst().pod()))
        .forEach(group -> facts.add(single(group)));
    var anew = progress.recreations();
    for (var one : anew) {
      facts.add(new Recreated(one, counts.pods()).fact(anew, progress, counts, now));
    }
    facts.sort(Comparator.comparing(fact -> fact.cost().began()));
    return facts;
  }

  /**
   * Workers that lose a neighbour fail with it, often within the same second, and times of the API
   * are whole seconds: what the pods tell of their exits is finer.
   */
  private static Optional<FailureHistory.Fault> firstToExit(
      List<Part> members, RunProgress.GroupRestart restart) {
    boolean hung = members.stream().anyMatch(one -> one.moments().containsKey(FOUND_HANGING));
    return members.stream()
        .filter(one -> !hung && one.moments().containsKey(EXIT_SEEN))
        .min(Comparator.comparing(one -> one.moments().get(EXIT_SEEN)))
        .flatMap(first ->
            restart.faults().stream()
                .filter(fault -> fault.pod().equals(first.pod().name()))
                .findFirst());
  }

  private static Instant next(List<RunProgress.GroupRestart> restarts, int i) {
    return restarts.stream()
        .skip(i + 1L)
        .filter(later -> later.workload().equals(restarts.get(i).workload()))
        .map(RunProgress.GroupRestart::startedAt)
        .findFirst()
        .orElse(Instant.MAX);
  }

  private static RestartFact inPlace(
      RunProgress.GroupRestart restart,
      List<Part> members,
      Collection<FollowedPod> all,
      Instant next) {
    var parts = new ArrayList<Part>();
    var known = new HashSet<String>();
    for (var part : members) {
      known.add(part.pod().uid());
      boolean culprit = part.pod().name().equals(restart.culprit());
      parts.add(
          new Part(
              part.pod(), culprit ? Role.CULPRIT : Role.FOLLOWER, part.moments(), part.program()));
    }
    for (var pod : all) {
      if (!pod.workload().equals(restart.workload()) || known.contains(pod.uid())) {
        continue;
      }
      var life = pod.restarts().life();
      var started = life.started();
      if (started != null && !started.isBefore(restart.startedAt()) && started.isBefore(next)) {
        parts.add(new Part(pod, Role.REPLACEMENT, firstStart(pod), ProgramBreak.UNSEEN));
      } else if (pod.name().equals(restart.culprit())) { // it is gone, and took its story along
        parts.add(
            new Part(pod, Role.CULPRIT, Map.of(), new ProgramBreak(life.lastOutput(), -1, -1)));
      }
    }
    var kept = restart.cost();
    var cost =
        members.isEmpty() && kept != null // the pods that knew more are gone
            ? RestartCost.of(kept)
            : superseded(
                RestartCost.of(
                    parts.stream().map(Part::share).toList(),
                    restart.startedAt(),
                    restart.liftedAt()),
                members,
                next);
    return new RestartFact(
        Kind.IN_PLACE,
        restart.workload(),
        restart.attempt(),
        restart.cause(),
        restart.culprit(),
        restart.instance(),
        cost,
        true,
        parts);
  }

  private static RestartCost superseded(RestartCost cost, List<Part> members, Instant next) {
    return next.equals(Instant.MAX) ? cost : cost.before(next, hasWritten(members));
  }

  private static boolean hasWritten(List<Part> members) {
    return members.stream().anyMatch(part -> GroupCosts.hasWritten(part.pod().restarts()));
  }

  /**
   * Past the barrier a group is still down until all that wait there run, and until one that wrote
   * something before does so again. What pods do not tell is not waited for.
   */
  private static boolean isDown(RestartFact fact, List<Part> members, RunProgress progress) {
    var known = fact.pods().stream().map(part -> part.pod().uid()).collect(Collectors.toSet());
    boolean begunAnew =
        progress.underWay().stream().anyMatch(one -> one.workload().equals(fact.workload()));
    if (begunAnew || progress.hasEnded(fact.workload())) {
      return false;
    }
    return (hasWritten(members) && !fact.cost().moments().containsKey(Moment.FIRST_OUTPUT))
        || progress.livePods().stream()
            .filter(pod -> pod.workload().equals(fact.workload()) && !known.contains(pod.uid()))
            .filter(pod -> !pod.isDeleted())
            .anyMatch(pod -> RunViews.isToStart(pod));
  }

  /** The same, down until then. */
  RestartFact until(Instant end, boolean over) {
    return new RestartFact(
        kind, workload, attempt, cause, culprit, instance, cost.until(end), over, pods);
  }

  private static RestartFact single(List<Part> parts) {
    var cost = RestartCost.of(parts.stream().map(Part::share).toList(), null, null);
    return new RestartFact(
        Kind.POD,
        parts.getFirst().pod().workload(),
        0,
        "",
        parts.getFirst().pod().name(),
        ContainerId.NONE,
        cost,
        true,
        parts);
  }

  static Map<Moment, Instant> firstStart(FollowedPod pod) {
    return GroupCosts.firstStart(pod.restarts());
  }

  /** Restarts of pods of one workload that overlap in time are one restart of their group. */
  private static List<List<Part>> together(Collection<FollowedPod> pods) {
    var groups = new ArrayList<List<Part>>();
    pods.stream()
        .flatMap(pod ->
            pod.restarts().newest().stream()
                .map(one -> new Part(pod, Role.FOLLOWER, one.moments(), one.program())))
        .sorted(Comparator.comparing(RestartFact::begin))
        .collect(Collectors.groupingBy(part -> part.pod().workload()))
        .values()
        .forEach(ofOne -> groups.addAll(overlapping(ofOne)));
    return groups;
  }

  private static List<List<Part>> overlapping(List<Part> sorted) {
    var groups = new ArrayList<List<Part>>();
    Instant end = Instant.MIN;
    for (var part : sorted) {
      boolean again =
          !groups.isEmpty()
              && groups.getLast().stream()
                  .anyMatch(one -> one.pod().uid().equals(part.pod().uid()));
      if (groups.isEmpty() || again || begin(part).isAfter(end)) {
        groups.add(new ArrayList<>());
        end = Instant.MIN;
      }
      groups.getLast().add(part);
      Instant ready = part.moments().getOrDefault(Moment.RUNNING, Instant.MAX);
      end = ready.isAfter(end) ? ready : end;
    }
    return groups;
  }

  /** Whether the barrier lifted between the first and the last moment of these pods. */
  private static boolean isAround(List<Part> group, Instant lifted) {
    Instant end =
        group.stream()
            .map(part -> part.moments().getOrDefault(Moment.RUNNING, Instant.MIN))
            .max(Comparator.naturalOrder())
            .orElse(Instant.MIN);
    return !begin(group.getFirst()).isAfter(lifted) && !end.isBefore(lifted);
  }

  private static Instant begin(Part part) {
    return part.moments().values().stream().min(Comparator.naturalOrder()).orElse(Instant.MAX);
  }

  /** The pod that came last to the barrier, or ran last. */
  String slowest() {
    return RestartCost.slowest(pods.stream().map(Part::share).toList());
  }
}
