package dev.regroup.rules.jobset;

import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.group.InPlaceRestart;
import dev.regroup.rules.pod.CompletedRestart;
import dev.regroup.rules.pod.RestartHistory;
import dev.regroup.rules.progress.ProgramBreak;
import dev.regroup.rules.progress.RestartCost;
import dev.regroup.rules.progress.RestartCost.Measure;
import dev.regroup.rules.progress.RestartCost.Share;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What the restarts of a group cost, from what its pods tell: of each pod the restart of its own
 * that the barrier fell into, or, if it was made anew, its first start.
 */
public final class GroupCosts {

  /** Shorter stages would read 0.00s. */
  private static final Duration SHOWN = Duration.ofMillis(5);

  /**
   * A pod and what it tells of itself.
   *
   * @param owes it runs in the group, so that what it has not told yet is still to come
   */
  public record Teller(String pod, boolean owes, RestartHistory history) {}

  /** What was seen of one restart: how each pod came through it, and what that makes together. */
  private record Account(List<Share> shares, RestartCost cost) {}

  private GroupCosts() {}

  /**
   * The status with what its restarts cost, as far as the pods tell it now. Of a restart that some
   * pod is still to tell about nothing is said. What was told for good stays, also when the pods
   * that told it are gone: only when the group was back at its step may come to it.
   */
  static JobSetStatus told(JobSetStatus status, List<Teller> pods) {
    var told = new ArrayList<InPlaceRestart>();
    for (var one : status.group().restarts()) {
      told.add(account(status, one, pods).map(found -> told(status, one, found)).orElse(one));
    }
    return status.withGroup(status.group().withRestarts(told));
  }

  private static InPlaceRestart told(JobSetStatus status, InPlaceRestart one, Account found) {
    var known = one.cost();
    var now = found.cost().kept();
    return one.with(known == null || !isSettled(status, one) ? now : known.with(now));
  }

  /**
   * The restarts whose cost the status knows for good and the one written before it did not, each
   * as a note that is told once however often it is asked for.
   */
  static List<JobSetPlan.Note> news(JobSetStatus written, JobSetStatus told, List<Teller> pods) {
    var settled = new HashSet<Integer>();
    for (var one : written.group().restarts()) {
      if (isSettled(written, one)) {
        settled.add(one.attempt());
      }
    }
    var notes = new ArrayList<JobSetPlan.Note>();
    for (var one : told.group().restarts()) {
      if (isSettled(told, one) && !settled.contains(one.attempt())) {
        notes.add(note(one, account(told, one, pods)));
      }
    }
    return notes;
  }

  /** The newest restart, if it is over and its cost is not known for good. */
  public static Optional<InPlaceRestart> open(JobSetStatus status) {
    var restarts = status.group().restarts();
    return restarts.isEmpty()
            || restarts.getLast().liftedAt() == null
            || isSettled(status, restarts.getLast())
        ? Optional.empty()
        : Optional.of(restarts.getLast());
  }

  /** Whether the programs have spoken, or nobody would hear them any more. */
  private static boolean isSettled(JobSetStatus status, InPlaceRestart restart) {
    var cost = restart.cost();
    return cost != null && (cost.measure() != Measure.RUNNING || isPast(status, restart));
  }

  private static boolean isPast(JobSetStatus status, InPlaceRestart restart) {
    return status.finished()
        || status.group().restarts().stream()
            .anyMatch(other -> other.attempt() > restart.attempt() && other.liftedAt() != null);
  }

  /** Empty while the barrier stands, some pod is still to tell, or none tells anything of it. */
  private static Optional<Account> account(
      JobSetStatus status, InPlaceRestart restart, List<Teller> pods) {
    var lifted = restart.liftedAt();
    if (lifted == null) {
      return Optional.empty();
    }
    var next = next(status, restart);
    var shares = new ArrayList<Share>();
    boolean owed = false;
    for (var pod : pods) {
      var share = share(pod, restart, next);
      share.ifPresent(shares::add);
      owed |= pod.owes() && share.isEmpty();
    }
    if (shares.isEmpty() || (owed && !isPast(status, restart))) {
      return Optional.empty();
    }
    var cost = RestartCost.of(shares, restart.startedAt(), lifted);
    boolean wrote = pods.stream().anyMatch(pod -> hasWritten(pod.history()));
    return Optional.of(
        new Account(shares, next.equals(Instant.MAX) ? cost : cost.before(next, wrote)));
  }

  /** Whether a pod's programs ever wrote something. */
  public static boolean hasWritten(RestartHistory history) {
    return history.life().firstOutput() != null
        || history.newest().stream()
            .anyMatch(one ->
                one.program().lastOutput() != null
                    || one.moments().containsKey(Moment.FIRST_OUTPUT));
  }

  /** When the group was told to restart again. */
  private static Instant next(JobSetStatus status, InPlaceRestart restart) {
    return status.group().restarts().stream()
        .filter(other -> other.attempt() > restart.attempt())
        .map(InPlaceRestart::startedAt)
        .findFirst()
        .orElse(Instant.MAX);
  }

  /** What a pod tells of a restart whose barrier has lifted. */
  static Optional<Share> share(Teller pod, InPlaceRestart restart, Instant next) {
    var lifted = restart.liftedAt();
    return lifted == null
        ? Optional.empty()
        : pod.history().newest().stream()
            .filter(one -> isAround(one, lifted))
            .findFirst()
            .map(one -> new Share(pod.pod(), one.moments(), one.program()))
            .or(() -> firstStart(pod, restart.startedAt(), next));
  }

  private static JobSetPlan.Note note(InPlaceRestart restart, Optional<Account> account) {
    var kept = Objects.requireNonNull(restart.cost(), "cost");
    var words = new StringBuilder("in-place restart to attempt " + restart.attempt());
    words.append(" cost ").append(seconds(kept.down()));
    if (account.isPresent()) {
      var spans =
          account.get().cost().stages().spans().stream()
              .filter(span -> span.until() != Moment.CAUGHT_UP) // until it works, as the figure is
              .filter(span -> span.took().compareTo(SHOWN) >= 0)
              .map(span -> span.until().words() + " " + seconds(span.took()))
              .collect(Collectors.joining(", "));
      words.append(spans.isEmpty() ? "" : ": until " + spans);
      words.append("; slowest ").append(RestartCost.slowest(account.get().shares()));
    }
    if (kept.measure() == Measure.RUNNING) {
      boolean ran = account.map(one -> one.cost().works().isAfter(ranAt(one))).orElse(false);
      words.append(
          ran
              ? "; the programs wrote nothing until the next restart"
              : "; the programs wrote nothing, so it ends when they ran");
    }
    return JobSetPlan.Note.once(
        "InPlaceRestartCost", words.toString(), "cost-" + restart.attempt());
  }

  private static Instant ranAt(Account account) {
    return account.cost().moments().getOrDefault(Moment.RUNNING, Instant.MAX);
  }

  private static String seconds(Duration took) {
    return String.format(Locale.ROOT, "%.2fs", took.toMillis() / 1000.0);
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
