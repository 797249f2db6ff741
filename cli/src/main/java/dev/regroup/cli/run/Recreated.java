package dev.regroup.cli.run;

import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.progress.ProgramBreak;
import dev.regroup.rules.progress.ProgramLife;
import dev.regroup.rules.progress.ProgressStep;
import dev.regroup.rules.progress.RestartCost;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One time that all Jobs of a JobSet were made anew, as a restart among others: its pods are new,
 * and take up the work of those before them.
 *
 * @param all pods that were seen
 */
record Recreated(RunProgress.Recreation one, Collection<FollowedPod> all) {

  /** With its cost: until now while it is under way, until the next one if it came to nothing. */
  RestartFact fact(
      List<RunProgress.Recreation> others,
      RunProgress progress,
      RestartCounts counts,
      Instant now) {
    var parts = of(one.number()).map(pod -> part(pod, counts)).toList();
    var cost = RestartCost.of(parts.stream().map(RestartFact.Part::share).toList(), began(), null);
    var fact =
        new RestartFact(
            RestartFact.Kind.RECREATION,
            one.workload(),
            one.number(),
            one.of().map(FailureHistory.Fault::text).orElse(""),
            one.of().map(FailureHistory.Fault::pod).orElse(""),
            one.of().map(FailureHistory.Fault::instance).orElse(ContainerId.NONE),
            cost,
            true,
            parts);
    if (works(parts)) {
      return fact;
    }
    var next =
        others.stream()
            .filter(other -> other.workload().equals(one.workload()))
            .filter(other -> other.number() > one.number())
            .map(other -> new Recreated(other, all).began())
            .findFirst();
    if (next.isPresent()) {
      return fact.until(next.get(), true);
    }
    return progress.hasEnded(one.workload()) ? fact : fact.until(now, false);
  }

  /** Whether as many pods run as did before, and one that told of its output has some. */
  private boolean works(List<RestartFact.Part> parts) {
    long before =
        of(one.number() - 1).map(FollowedPod::shortName).collect(Collectors.toSet()).size();
    long started = parts.stream().filter(Recreated::isUp).count();
    boolean tells =
        parts.stream().anyMatch(part -> !part.pod().restarts().life().equals(ProgramLife.UNSEEN));
    boolean wrote =
        of(one.number() - 1).anyMatch(pod -> pod.restarts().life().lastOutput() != null);
    boolean writes =
        parts.stream().anyMatch(part -> part.moments().containsKey(Moment.FIRST_OUTPUT));
    return started > 0
        && started == parts.size()
        && started >= before
        && (writes || !wrote || !tells);
  }

  private static boolean isUp(RestartFact.Part part) {
    return part.moments().containsKey(Moment.RUNNING) || !RunViews.isToStart(part.pod());
  }

  private Stream<FollowedPod> of(int generation) {
    return all.stream()
        .filter(pod -> pod.workload().equals(one.workload()))
        .filter(pod -> pod.round().generation() == generation);
  }

  private RestartFact.Part part(FollowedPod pod, RestartCounts counts) {
    long reached = reached(pod);
    var moments = new EnumMap<Moment, Instant>(Moment.class);
    moments.putAll(RestartFact.firstStart(pod));
    if (reached >= 0) {
      counts.reached(pod, reached).ifPresent(at -> moments.put(Moment.CAUGHT_UP, at));
    }
    var taken = new ProgramBreak(null, reached, counts.firstStep(pod));
    return new RestartFact.Part(pod, RestartFact.Role.REPLACEMENT, moments, taken);
  }

  /** Where the one before it in its place was. */
  private long reached(FollowedPod pod) {
    return of(one.number() - 1)
        .filter(other -> other.shortName().equals(pod.shortName()))
        .map(other -> other.restarts().life().step())
        .filter(Objects::nonNull)
        .mapToLong(ProgressStep::number)
        .max()
        .orElse(-1);
  }

  /** With the end of whoever caused it; if that one hung, with its last output. */
  Instant began() {
    if (one.of().isEmpty()) {
      return one.seen();
    }
    var fault = one.of().get();
    var output =
        all.stream()
            .filter(pod -> pod.name().equals(fault.pod()))
            .map(pod -> pod.restarts().life().lastOutput())
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(fault.at());
    var began = fault.isHang() || output.isAfter(fault.at()) ? output : fault.at();
    return began.isBefore(one.seen()) ? began : one.seen();
  }
}
