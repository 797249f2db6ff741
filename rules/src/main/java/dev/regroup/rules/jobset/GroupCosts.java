package dev.regroup.rules.jobset;

import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.group.GroupStatus;
import dev.regroup.rules.group.InPlaceRestart;
import dev.regroup.rules.pod.CompletedRestart;
import dev.regroup.rules.pod.RestartHistory;
import dev.regroup.rules.progress.KeptCost;
import dev.regroup.rules.progress.ProgramBreak;
import dev.regroup.rules.progress.RestartCost;
import dev.regroup.rules.progress.RestartCost.Share;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the restarts of a group cost, from what its pods tell: of each pod the restart of its own
 * that the barrier fell into, or, if it was made anew, its first start.
 */
public final class GroupCosts {

  /** A pod and what it tells of itself. */
  public record Teller(String pod, RestartHistory history) {}

  private GroupCosts() {}

  /**
   * The status with what its restarts cost, as far as the pods tell it now. What is known already
   * stays when the pods that told it are gone.
   */
  static GroupStatus told(GroupStatus status, List<Teller> pods) {
    var restarts = status.restarts();
    var told = new ArrayList<InPlaceRestart>();
    for (int i = 0; i < restarts.size(); i++) {
      var one = restarts.get(i);
      var next = i + 1 < restarts.size() ? restarts.get(i + 1).startedAt() : Instant.MAX;
      told.add(cost(one, next, pods).map(one::with).orElse(one));
    }
    return status.withRestarts(told);
  }

  /**
   * What the restart cost; empty while its barrier stands, or if no pod tells anything of it.
   *
   * @param next when the group was told to restart again
   */
  private static Optional<KeptCost> cost(InPlaceRestart restart, Instant next, List<Teller> pods) {
    var lifted = restart.liftedAt();
    if (lifted == null) {
      return Optional.empty();
    }
    var shares = new ArrayList<Share>();
    for (var pod : pods) {
      pod.history().newest().stream()
          .filter(one -> isAround(one, lifted))
          .findFirst()
          .map(one -> new Share(pod.pod(), one.moments(), one.program()))
          .or(() -> firstStart(pod, restart.startedAt(), next))
          .ifPresent(shares::add);
    }
    return shares.isEmpty()
        ? Optional.empty()
        : Optional.of(RestartCost.of(shares, restart.startedAt(), lifted).kept());
  }

  private static boolean isAround(CompletedRestart one, Instant lifted) {
    var running = one.moments().getOrDefault(Moment.RUNNING, Instant.MIN);
    return !one.began().isAfter(lifted) && !running.isBefore(lifted);
  }

  private static Optional<Share> firstStart(Teller pod, Instant ordered, Instant next) {
    var moments = firstStart(pod.history());
    var started = moments.get(Moment.RUNNING);
    return started == null || started.isBefore(ordered) || !started.isBefore(next)
        ? Optional.empty()
        : Optional.of(new Share(pod.pod(), moments, ProgramBreak.UNSEEN));
  }

  /** The first start of a pod as moments. */
  public static Map<Moment, Instant> firstStart(RestartHistory history) {
    var moments = new EnumMap<Moment, Instant>(Moment.class);
    var life = history.life();
    if (life.started() != null) {
      moments.put(Moment.RUNNING, life.started());
    }
    if (life.firstOutput() != null) {
      moments.put(Moment.FIRST_OUTPUT, life.firstOutput());
    }
    return moments;
  }
}
