package dev.regroup.client.lease;

import java.time.Duration;

/**
 * What one candidate makes of what it sees. The clocks of two machines may differ, so the times in
 * a Lease are never compared with one's own: a leader is gone when its Lease has not changed for
 * the whole duration, as measured here (monotonic).
 *
 * @param record as last seen
 * @param since when it was first seen so, in nanoseconds
 */
record LeaseView(LeaseRecord record, long since) {

  /** After another look. */
  LeaseView seen(LeaseRecord now, long nanos) {
    boolean same =
        now.holder().equals(record.holder())
            && now.renewed().equals(record.renewed())
            && now.transitions() == record.transitions();
    return new LeaseView(now, same ? since : nanos);
  }

  /** Whether this candidate may write itself in. */
  boolean free(String identity, long nanos, Duration duration) {
    return record.holder().isEmpty()
        || record.heldBy(identity)
        || nanos - since >= duration.toNanos();
  }
}
