package dev.regroup.rules.group;

import java.time.Instant;
import java.util.Optional;

/**
 * Since when something is so in a group, as far as its status does not say: what a watch remembers
 * between two looks. Lost with it, and then counted from what is seen next (JS-142).
 *
 * @param liftedAt when the running attempt began
 * @param waitingSince when the first pod was seen at the barrier, while that is down
 * @param oddSince when a report was first seen that no agent can have written (JS-140, JS-141)
 */
public record GroupTimes(
    Optional<Instant> liftedAt, Optional<Instant> waitingSince, Optional<Instant> oddSince) {

  public static final GroupTimes NONE =
      new GroupTimes(Optional.empty(), Optional.empty(), Optional.empty());

  /** A new status was read: if it goes on to another attempt, that began now or as it says. */
  public GroupTimes follow(GroupStatus before, GroupStatus now, Instant time) {
    if (now.barrier().current().equals(before.barrier().current())) {
      return this;
    }
    var said =
        now.restarts().isEmpty()
            ? Optional.<Instant>empty()
            : Optional.ofNullable(now.restarts().getLast().liftedAt());
    return new GroupTimes(said.or(() -> Optional.of(time)), waitingSince, oddSince);
  }

  /** The counts were looked at. */
  public GroupTimes look(Tally tally, Barrier barrier, Instant time) {
    boolean arrived = tally.at(barrier.next()) > 0;
    boolean waits = barrier.gathering() && (arrived || waitingSince.isPresent());
    return new GroupTimes(
        liftedAt,
        since(waits, waitingSince, time),
        since(GroupPlan.odd(tally, barrier), oddSince, time));
  }

  private static Optional<Instant> since(boolean holds, Optional<Instant> known, Instant time) {
    return holds ? known.or(() -> Optional.of(time)) : Optional.empty();
  }
}
