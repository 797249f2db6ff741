package dev.regroup.rules.group;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decides for one group of workers that restarts in place (jobset.md section 7.2 with the [X] rules
 * of 7.6 and 9.2). The whole of a group restart, and where each step is decided:
 *
 * <ol>
 *   <li><b>Arrive.</b> Every pod has an agent: the node, or a container. It takes the attempt after
 *       the running one, 0 at first, writes it on its pod ({@link AttemptReport}) and holds the
 *       worker at the barrier ({@link AgentMind}).
 *   <li><b>Go on.</b> When each place of the group is filled by exactly one pod that reports the
 *       next attempt and shows no sign of failure ({@link Tally#inStep}), the order goes out to go
 *       on: {@code current} is that attempt, the agents let their workers run.
 *   <li><b>A sign.</b> A pod shows that its attempt has failed: a worker or the agent ended, all
 *       its containers restart, it failed, was deleted, disrupted or lost with its node ({@link
 *       PodSigns}). Or it is back already and reports the next attempt, somebody asked for a
 *       restart, or the group was resumed, scaled or grew. All are counted event by event ({@link
 *       Counters}); who failed first is the cause ({@code Facts.trigger}).
 *   <li><b>Policy first.</b> While a Job fails as a whole ({@link JobBeliefs}) nobody is told
 *       anything: the failure policy decides about it. Before a failed pod is held against the
 *       group, its Job is read once, consistently, and asked: that is the {@link #suspect}.
 *   <li><b>Budget.</b> A restart that counts and is not left fails the JobSet; nobody restarts.
 *   <li><b>Restart.</b> The order goes out to restart: {@code previous} is the running attempt, in
 *       one write with the count and a line of history. It is safe to be early: whoever failed
 *       takes the next attempt anyway, and an order given twice is the same order.
 *   <li><b>Come back.</b> Agents at or below {@code previous} stop their workers and arrive anew
 *       (step 1); healthy pods keep node, address and volumes, dead ones are made anew by their
 *       Jobs. When all are there: step 2. If everybody was back before anybody looked, step 6 is
 *       left out, but it counts.
 *   <li><b>Recreate.</b> A pod that has succeeded can never come back: then all Jobs are made anew
 *       instead, and their pods arrive at the next attempt.
 *   <li><b>Fail.</b> An init container that restarts without end keeps the group from ever being
 *       complete: the JobSet fails.
 *   <li><b>Wait.</b> Otherwise nothing is ordered; after a while the status says for whom the
 *       barrier waits (JS-133a).
 * </ol>
 *
 * <p>Which of these is due says the table in {@link GroupLifecycle}: find the stage by the two
 * orders, take the first row whose fact holds, make its move. Level-triggered: a pure function of
 * the counts and of the status, so it may be asked after any missed event or crash, and an answer
 * that was written twice does no harm. The two orders never go back, and only they are needed to go
 * on after a crash of anybody.
 *
 * @param taken the row of the table this plan takes, empty when it waits
 * @param suspect the Job whose pod this step holds against the group; before the step is taken that
 *     Job must be asked whether the failure is its own affair (JS-160b)
 */
public record GroupPlan(
    GroupStatus status,
    Step step,
    List<Note> notes,
    Instant wakeUp,
    Optional<GroupLifecycle.Transition> taken,
    Optional<String> suspect) {

  static final Duration SILENCE = Duration.ofSeconds(30);
  static final Duration ODD_REPORT = Duration.ofSeconds(10);

  /** What happens now. Each is one update of the status. */
  public sealed interface Step {

    /** Nothing. {@code waiting} says for whom, if the barrier is down. */
    record Rest(Optional<Waiting> waiting) implements Step {}

    /** The order to go on. */
    record Lift(int attempt) implements Step {}

    /** The order to restart. */
    record Restart(Sign cause, boolean counted) implements Step {}

    /** A place has succeeded and cannot run again: all Jobs are made anew (JS-134). */
    record Recreate(Sign cause, boolean counted) implements Step {}

    /** No restart is left, or a pod restarts without end. */
    record Fail() implements Step {}
  }

  /** Who keeps the barrier down (JS-133a). */
  public record Waiting(Reason reason, String message) {
    public enum Reason {
      PODS_MISSING("PodsMissing"),
      AGENT_SILENT("AgentSilent"),
      CANNOT_LIFT("CannotLift");

      private final String wireName;

      Reason(String wireName) {
        this.wireName = wireName;
      }

      public String wireName() {
        return wireName;
      }
    }
  }

  /** Something a user may wonder about, for an event. */
  public record Note(Kind kind, String message) {
    public enum Kind {
      IN_PLACE_RESTART_STARTED("InPlaceRestartStarted"),
      IN_PLACE_RESTART_COMPLETED("InPlaceRestartCompleted"),
      INVALID_ATTEMPT("InvalidInPlaceRestartAttempt"),
      RESTART_REQUEST_IGNORED("RestartRequestIgnored");

      private final String wireName;

      Kind(String wireName) {
        this.wireName = wireName;
      }

      public String wireName() {
        return wireName;
      }
    }
  }

  /**
   * What the JobSet says about its group.
   *
   * @param usedElsewhere recreations that count towards the budget (JS-88)
   * @param recreations all recreations, of all Jobs and of single ones
   * @param done places that are done as their Jobs say, also where the pods that did it are gone
   * @param voluntary a resume, a new size or a next group that needs a restart (JS-146)
   * @param waitingSince when the first pod came to the barrier, or when that was first seen
   * @param oddSince since when a report is there that nobody can have written
   */
  public record Situation(
      int maxRestarts,
      int usedElsewhere,
      int recreations,
      int done,
      Mood mood,
      Optional<Sign.Kind> voluntary,
      Optional<GroupRestartRequest> request,
      Optional<Instant> waitingSince,
      Optional<Instant> oddSince) {

    int used(GroupStatus status) {
      return usedElsewhere + status.counted().orElse(0);
    }

    boolean exhausted(GroupStatus status) {
      return used(status) >= maxRestarts;
    }
  }

  /** Whether pods that vanish are a failure (JS-160). */
  public enum Mood {
    RUNNING,
    /** Suspended: pods vanish because they were told to. */
    QUIET
  }

  public GroupPlan {
    notes = List.copyOf(notes);
  }

  public static GroupPlan decide(Tally tally, GroupStatus before, Situation now, Instant time) {
    var adopted = before.adopted(now.recreations());
    var notes = new ArrayList<Note>();
    noteOddReport(tally, adopted.barrier(), now, time, notes);
    var asked =
        tally.failingJobs() ? Optional.<GroupRestartRequest>empty() : newRequest(adopted, now);
    var refusal = asked.flatMap(request -> refusal(before, now, request));
    var status = answerRequest(adopted, asked, refusal, time, notes);
    var granted = refusal.isPresent() ? Optional.<GroupRestartRequest>empty() : asked;
    var facts = new Facts(tally, status, now, granted);
    var way = GroupLifecycle.next(GroupLifecycle.Stage.of(status.barrier()), facts::holds);
    if (way.isEmpty()) {
      return rest(tally, status, now, time, notes);
    }
    return switch (way.get().move()) {
      case LIFT -> lift(facts, time, notes).by(way.get());
      case RESTART -> restart(facts, time, notes).by(way.get());
      case RECREATE -> recreate(status, facts, notes).by(way.get());
      case FAIL -> fail(facts, way.get(), notes).by(way.get());
    };
  }

  private static GroupPlan fail(Facts facts, GroupLifecycle.Transition way, List<Note> notes) {
    var plan = at(facts.status(), new Step.Fail(), notes);
    return way.fact() == GroupLifecycle.Fact.BUDGET_SPENT
        ? plan.blaming(
            facts
                .trigger()
                .flatMap(Facts.Trigger::job)
                .or(() -> facts.unnoticed().map(one -> one.slot().job())))
        : plan;
  }

  private static GroupPlan at(GroupStatus status, Step step, List<Note> notes) {
    return new GroupPlan(status, step, notes, Instant.MAX, Optional.empty(), Optional.empty());
  }

  private GroupPlan by(GroupLifecycle.Transition way) {
    return new GroupPlan(status, step, notes, wakeUp, Optional.of(way), suspect);
  }

  private GroupPlan blaming(Optional<String> job) {
    return new GroupPlan(status, step, notes, wakeUp, taken, job);
  }

  private static GroupPlan restart(Facts facts, Instant time, List<Note> notes) {
    var status = facts.status();
    var trigger = facts.trigger().orElseThrow();
    var cause = trigger.cause();
    notes.add(started(status.barrier().next(), cause.text() + facts.wordsOfWhoAsked(cause)));
    var raised = status.raised(cause, trigger.counted(), time);
    return at(raised, new Step.Restart(cause, trigger.counted()), notes).blaming(trigger.job());
  }

  private static Note started(int attempt, String why) {
    return new Note(
        Note.Kind.IN_PLACE_RESTART_STARTED,
        "in-place restart to attempt %d (%s)".formatted(attempt, why));
  }

  private static GroupPlan recreate(GroupStatus status, Facts facts, List<Note> notes) {
    var underWay = status.underWay();
    if (underWay.isPresent()) { // it was counted when it began
      var step = new Step.Recreate(underWay.get().cause(), false);
      return at(status.abandoned(), step, notes);
    }
    if (status.barrier().restarting()) { // a single Job was made anew, and others cannot follow
      return at(status, new Step.Recreate(Sign.of(Sign.Kind.JOB_FAILED, ""), false), notes);
    }
    var trigger = facts.trigger().orElseThrow();
    return at(status, new Step.Recreate(trigger.cause(), trigger.counted()), notes)
        .blaming(trigger.job());
  }

  private static GroupPlan lift(Facts facts, Instant time, List<Note> notes) {
    var status = facts.status();
    var barrier = status.barrier();
    int attempt = barrier.next();
    var earlier = facts.earlierCause();
    var noticed = earlier.map(status::because).orElse(status);
    if (!barrier.gathering()) { // all came back before anybody looked, e.g. a group of one
      var cause =
          facts.unnoticed().map(Failure::sign).orElse(Sign.of(Sign.Kind.CAME_BACK_AHEAD, ""));
      notes.add(started(attempt, cause.text()));
      noticed = status.unnoticed(cause, time);
    }
    var lifted = noticed.lifted(attempt, time);
    if (barrier.current().isPresent() && !lifted.restarts().isEmpty()) {
      var started = lifted.restarts().getLast().startedAt();
      notes.add(
          new Note(
              Note.Kind.IN_PLACE_RESTART_COMPLETED,
              "in-place restart to attempt %d completed in %d ms%s"
                  .formatted(
                      attempt,
                      Duration.between(started, time).toMillis(),
                      earlier.map(sign -> "; the first to fail was " + sign.text()).orElse(""))));
    }
    return at(lifted, new Step.Lift(attempt), notes);
  }

  /** A request is answered once, whatever the answer (JS-167); it never fails the group. */
  private static GroupStatus answerRequest(
      GroupStatus status,
      Optional<GroupRestartRequest> asked,
      Optional<String> refusal,
      Instant time,
      List<Note> notes) {
    if (asked.isEmpty()) {
      return status;
    }
    var id = asked.get().requestId();
    refusal.ifPresent(why ->
        notes.add(
            new Note(Note.Kind.RESTART_REQUEST_IGNORED, "request %s: %s".formatted(id, why))));
    return status.answered(asked.get(), time);
  }

  private static Optional<GroupRestartRequest> newRequest(GroupStatus status, Situation now) {
    var last = status.lastRequest().map(GroupStatus.ServedRequest::requestId);
    return now.request().filter(request -> !last.equals(Optional.of(request.requestId())));
  }

  private static Optional<String> refusal(
      GroupStatus status, Situation now, GroupRestartRequest request) {
    if (now.mood() == Mood.QUIET) {
      return Optional.of("the JobSet is suspended");
    }
    if (status.barrier().current().isEmpty()) {
      return Optional.of("the group has not started yet");
    }
    if (!status.barrier().restarting() && request.counted() && now.exhausted(status)) {
      return Optional.of("no restart is left (maxRestarts %d)".formatted(now.maxRestarts()));
    }
    return Optional.empty();
  }

  private static void noteOddReport(
      Tally tally, Barrier barrier, Situation now, Instant time, List<Note> notes) {
    boolean old =
        now.oddSince().isPresent() && !time.isBefore(now.oddSince().get().plus(ODD_REPORT));
    if (!old) {
      return;
    }
    if (!tally.corrupt().isEmpty()) {
      notes.add(
          new Note(
              Note.Kind.INVALID_ATTEMPT,
              "Pod %s: attempt cannot be read, it is treated as missing"
                  .formatted(tally.corrupt())));
    }
    var tooHigh = tally.atAttempt().higherKey(barrier.next());
    if (tooHigh != null) {
      notes.add(
          new Note(
              Note.Kind.INVALID_ATTEMPT,
              "a Pod reports attempt %d, the highest possible is %d"
                  .formatted(tooHigh, barrier.next())));
    }
  }

  /** Whether some report is one that no agent can have written (JS-140, JS-141). */
  public static boolean odd(Tally tally, Barrier barrier) {
    return !tally.corrupt().isEmpty() || tally.atAttempt().higherKey(barrier.next()) != null;
  }

  private static GroupPlan rest(
      Tally tally, GroupStatus status, Situation now, Instant time, List<Note> notes) {
    var wakeUp = Instant.MAX;
    if (now.oddSince().isPresent()) {
      wakeUp = earlier(wakeUp, now.oddSince().get().plus(ODD_REPORT), time);
    }
    var waiting = Optional.<Waiting>empty();
    boolean down = status.barrier().gathering();
    if (down && tally.troubled()) { // RAC-54
      waiting = Optional.of(waitingFor(tally, status.barrier().next()));
    } else if (down && tally.expected() > 0 && now.waitingSince().isPresent()) {
      var due = now.waitingSince().get().plus(SILENCE);
      if (due.isAfter(time)) {
        wakeUp = earlier(wakeUp, due, time);
      } else {
        waiting = Optional.of(waitingFor(tally, status.barrier().next()));
      }
    }
    return new GroupPlan(
        status, new Step.Rest(waiting), notes, wakeUp, Optional.empty(), Optional.empty());
  }

  private static Instant earlier(Instant one, Instant other, Instant time) {
    return other.isAfter(time) && other.isBefore(one) ? other : one;
  }

  private static Waiting waitingFor(Tally tally, int attempt) {
    boolean silent = tally.missing().stream().anyMatch(one -> one.why() == Tally.Why.AGENT_SILENT);
    var names = new ArrayList<String>();
    tally.missing().forEach(one -> names.add(one.text()));
    var message =
        "%d of %d at attempt %d; waiting for %s"
            .formatted(
                tally.at(attempt),
                tally.expected(),
                attempt,
                names.isEmpty() ? "Pods of earlier attempts" : String.join(", ", names));
    var reason = silent ? Waiting.Reason.AGENT_SILENT : Waiting.Reason.PODS_MISSING;
    return new Waiting(reason, message);
  }
}
