package dev.regroup.rules.group;

import java.util.Optional;

/**
 * What holds for a group now: the questions the rows of {@link GroupLifecycle} ask.
 *
 * @param granted a new request for a restart that was not refused
 */
record Facts(
    Tally tally,
    GroupStatus status,
    GroupPlan.Situation now,
    Optional<GroupRestartRequest> granted) {

  /**
   * Why everybody has to restart, and whether that takes from the budget.
   *
   * @param job whose pod has failed; empty when nobody has
   */
  record Trigger(Sign cause, boolean counted, Optional<String> job) {
    static Trigger of(Failure failure) {
      return new Trigger(failure.sign(), true, Optional.of(failure.slot().job()));
    }
  }

  boolean holds(GroupLifecycle.Fact fact) {
    if (tally.failingJobs()) {
      return false; // the failure policy comes first; its places cannot be filled before (JS-160b)
    }
    return switch (fact) {
      case RUNAWAY -> now.mood() == GroupPlan.Mood.RUNNING && tally.runaway() > now.maxRestarts();
      case BUDGET_SPENT ->
          now.exhausted(status) && (inStep() || trigger().filter(Trigger::counted).isPresent());
      case IN_STEP -> inStep();
      case TRIGGERED_AFTER_SUCCESS -> over() && trigger().isPresent();
      case TRIGGERED -> trigger().isPresent();
      case SUCCEEDED_MEANWHILE ->
          now.mood() == GroupPlan.Mood.RUNNING
              && over()
              && (status.underWay().isPresent() || now.done() > 0); // or one Job was made anew
    };
  }

  /** Some place never runs again as long as its Job stays (JS-134). */
  private boolean over() {
    return tally.succeeded() + tally.givenUp() + now.done() > 0;
  }

  private boolean inStep() {
    var inStep = tally.inStep();
    return inStep.isPresent() && inStep.getAsInt() == status.barrier().next();
  }

  /** Asked only while an attempt runs; the first reason counts. */
  Optional<Trigger> trigger() {
    int current = status.barrier().current().orElseThrow();
    if (now.voluntary().isPresent()) {
      var cause = Sign.of(now.voluntary().get(), "");
      return Optional.of(new Trigger(cause, false, Optional.empty()));
    }
    if (now.mood() == GroupPlan.Mood.QUIET) {
      return Optional.empty();
    }
    return culprit(current)
        .map(Trigger::of)
        .or(() ->
            granted.map(request ->
                new Trigger(
                    Sign.of(Sign.Kind.REQUESTED, ""), request.counted(), Optional.empty())));
  }

  /** Empty when somebody else is the cause, or who asked gave no reason. */
  String wordsOfWhoAsked(Sign cause) {
    return granted
        .filter(_ -> cause.kind() == Sign.Kind.REQUESTED)
        .map(GroupRestartRequest::reason)
        .filter(reason -> !reason.isBlank())
        .map(reason -> ": " + reason.strip())
        .orElse("");
  }

  /**
   * Who failed first: of those that show it and those that are back already. Times are whole
   * seconds; of equal ones who is back has failed before.
   */
  private Optional<Failure> culprit(int current) {
    var sign = tally.signs().get(current);
    var back = tally.ahead().get(current + 1);
    if (sign != null && (back == null || sign.sign().before(back.sign()))) {
      return Optional.of(sign);
    }
    return Optional.ofNullable(back != null ? back : tally.signs().get(current + 1));
  }

  /**
   * Who has failed before the one whose failure was heard of first and became the order: who is
   * back tells when it ended, to the microsecond.
   */
  Optional<Sign> earlierCause() {
    return status
        .underWay()
        .filter(restart -> restart.cause().isExit())
        .flatMap(restart ->
            unnoticed()
                .map(Failure::sign)
                .filter(sign -> sign.isExact() && !sign.pod().equals(restart.cause().pod()))
                .filter(sign -> sign.before(Sign.of(sign.kind(), "").since(restart.startedAt()))));
  }

  /** Who brought everybody to the next attempt before anybody looked. */
  Optional<Failure> unnoticed() {
    return Optional.ofNullable(tally.ahead().get(status.barrier().next()));
  }
}
