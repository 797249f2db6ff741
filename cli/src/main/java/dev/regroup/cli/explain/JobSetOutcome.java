package dev.regroup.cli.explain;

/**
 * What one exit means for the JobSet of the pod.
 *
 * @param reason of a failed JobSet, empty otherwise
 * @param maxRestarts the budget, where this draws on it; -1 where it does not
 */
record JobSetOutcome(Kind kind, String reason, int maxRestarts) {

  enum Kind {
    NOTHING,
    RESTARTS_IN_PLACE,
    RECREATES_ALL,
    RECREATES_JOB,
    FAILS,
    COUNTS_SUCCESS,
    COMPLETES
  }

  static JobSetOutcome of(Kind kind) {
    return new JobSetOutcome(kind, "", -1);
  }

  /** As the table shows it. */
  String text() {
    return switch (kind) {
      case NOTHING -> "-";
      case RESTARTS_IN_PLACE -> "restart group in place" + budget();
      case RECREATES_ALL -> "recreate all Jobs" + budget();
      case RECREATES_JOB -> "recreate this Job" + budget();
      case FAILS -> "fail JobSet (" + reason + ")";
      case COUNTS_SUCCESS -> "complete with the other Jobs";
      case COMPLETES -> "complete JobSet";
    };
  }

  private String budget() {
    return maxRestarts < 0 ? " (without limit)" : " (at most " + maxRestarts + ")";
  }
}
