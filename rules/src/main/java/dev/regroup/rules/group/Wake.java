package dev.regroup.rules.group;

/** How soon a group has to be looked at, after a change that altered a reading (JS-156, JS-159). */
public enum Wake {
  NO,
  /** Something to look at, when there is time. */
  SOON,
  /** The group needs an order. */
  NOW;

  /**
   * Tells by the counts after the change. A group that runs needs an order as soon as somebody
   * failed or came back ahead; one that gathers needs it when everybody is there, and on the way a
   * look when start order or waiting text may change: at the first arrival, and when a pod cannot
   * start.
   */
  public static Wake of(Tally tally, Barrier barrier, GroupTimes times) {
    if (tally.failingJobs()) {
      return SOON; // until its Job says so too
    }
    var inStep = tally.inStep();
    if (inStep.isPresent() && inStep.getAsInt() == barrier.next()) {
      return NOW;
    }
    return barrier.gathering() ? onTheWay(tally, barrier, times) : whileRunning(tally, barrier);
  }

  private static Wake whileRunning(Tally tally, Barrier barrier) {
    int current = barrier.current().orElseThrow();
    boolean failed =
        tally.signs().containsKey(current)
            || tally.signs().containsKey(current + 1)
            || tally.at(current + 1) > 0;
    if (failed) {
      return NOW;
    }
    return GroupPlan.odd(tally, barrier) ? SOON : NO;
  }

  private static Wake onTheWay(Tally tally, Barrier barrier, GroupTimes times) {
    boolean first =
        times.waitingSince().isEmpty()
            && tally.ready().values().stream()
                .anyMatch(perAttempt -> perAttempt.containsKey(barrier.target()));
    boolean ordered = tally.ready().size() > 1;
    return first || ordered || tally.troubled() ? SOON : NO;
  }
}
