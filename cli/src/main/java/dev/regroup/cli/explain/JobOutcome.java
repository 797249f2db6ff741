package dev.regroup.cli.explain;

/**
 * What one exit means for the Job of the pod.
 *
 * @param reason of a failed Job, empty otherwise
 * @param message of a failed Job; patterns of a JobSet look at it (JS-87)
 * @param limit how often this may happen until the Job fails: restarts of containers or failures of
 *     pods; 0 for "without limit"
 */
record JobOutcome(Kind kind, String reason, String message, int limit) {

  enum Kind {
    KEEPS_POD,
    RECREATES_POD,
    FAILS_INDEX,
    FAILS,
    /** One pod is done; the Job completes with the last. */
    COUNTS_SUCCESS,
    COMPLETES
  }

  static JobOutcome of(Kind kind, int limit) {
    return new JobOutcome(kind, "", "", limit);
  }

  /** As the table shows it. */
  String text() {
    return switch (kind) {
      case KEEPS_POD -> "keep Pod" + upTo("restart");
      case RECREATES_POD -> "recreate Pod" + upTo("failure");
      case FAILS_INDEX -> "fail index";
      case FAILS -> "fail Job (" + reason + ")";
      case COUNTS_SUCCESS -> "complete with the other Pods";
      case COMPLETES -> "complete Job";
    };
  }

  private String upTo(String what) {
    return limit == 0 ? "" : " (Job fails at " + what + " " + limit + ")";
  }
}
