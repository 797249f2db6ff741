package dev.regroup.rules.group;

import java.util.Optional;

/**
 * What holds for a group now: the questions the rows of {@link Lifecycle} ask.
 *
 * @param granted a new request for a restart that was not refused
 */
record Facts(
    Tally tally, GroupStatus status, GroupPlan.Situation now, Optional<RestartRequest> granted) {

  /** Why everybody has to restart, and whether that takes from the budget. */
  record Trigger(Sign cause, boolean counted) {}

  boolean holds(Lifecycle.Fact fact) {
    return switch (fact) {
      case RUNAWAY -> now.mood() == GroupPlan.Mood.RUNNING && tally.runaway() > now.maxRestarts();
      case BUDGET_SPENT ->
          now.exhausted(status) && (inStep() || trigger().filter(Trigger::counted).isPresent());
      case IN_STEP -> inStep();
      case TRIGGERED_AFTER_SUCCESS -> tally.succeeded() > 0 && trigger().isPresent();
      case TRIGGERED -> trigger().isPresent();
      case SUCCEEDED_MEANWHILE ->
          now.mood() == GroupPlan.Mood.RUNNING
              && tally.succeeded() > 0
              && status.underWay().isPresent();
    };
  }

  private boolean inStep() {
    var inStep = tally.inStep();
    return inStep.isPresent() && inStep.getAsInt() == status.barrier().next();
  }

  /** Asked only while an attempt runs; the first reason counts. */
  Optional<Trigger> trigger() {
    int current = status.barrier().current().orElseThrow();
    if (now.voluntary().isPresent()) {
      return Optional.of(new Trigger(Sign.of(now.voluntary().get(), ""), false));
    }
    if (now.mood() == GroupPlan.Mood.QUIET) {
      return Optional.empty();
    }
    var sign = tally.signs().get(current);
    if (sign != null) {
      return Optional.of(new Trigger(sign, true));
    }
    var ahead = tally.signs().get(current + 1);
    if (ahead != null || tally.at(current + 1) > 0) {
      var cause = ahead != null ? ahead : Sign.of(Sign.Kind.CAME_BACK_AHEAD, "");
      return Optional.of(new Trigger(cause, true));
    }
    return granted.map(request -> new Trigger(Sign.of(Sign.Kind.REQUESTED, ""), request.counted()));
  }
}
