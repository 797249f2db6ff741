package dev.regroup.rules.pod;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;

/**
 * Crash-loop back-off of one pod, the one thing that lives in memory only (BKO-06). The node keeps
 * the value a plan returns and gives it back with the next observation.
 *
 * @param entries by container name and fingerprint (BKO-01), and one for the whole pod (RAC-51); in
 *     a group also by its last orders (RAC-54)
 */
public record BackOffMemory(Map<String, Entry> entries) {

  /**
   * Where one container, or the pod, stands.
   *
   * @param delay served before the start after the next exit
   * @param grantedAt when the last start was granted
   * @param waitsFor the run whose exit is being waited out, -1 for none
   * @param until end of that wait; fixed when the wait begins, so that a step of the clock neither
   *     releases nor extends it (BKO-10)
   */
  public record Entry(Duration delay, Instant grantedAt, int waitsFor, Instant until) {
    public Entry {
      Objects.requireNonNull(delay, "delay");
      Objects.requireNonNull(grantedAt, "grantedAt");
      Objects.requireNonNull(until, "until");
    }
  }

  public static final BackOffMemory EMPTY = new BackOffMemory(Map.of());

  public BackOffMemory {
    entries = Map.copyOf(entries);
  }
}
