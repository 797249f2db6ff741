package dev.regroup.runtime;

import static java.util.Objects.requireNonNull;

import java.time.Duration;

/**
 * How to stop a container: the signal, then up to {@code grace}, then SIGKILL.
 *
 * @param deaf what to do when PID 1 can never receive the signal
 */
public record StopOrder(RuntimeStopReason reason, Signal signal, Duration grace, Deaf deaf) {

  /** Shortest wait between the stop signal and SIGKILL: 2 s (TERM-03, RAC-13). */
  public static final Duration SHORTEST_GRACE = Duration.ofSeconds(2);

  /** A PID 1 that neither catches nor waits for the signal never sees it (SEQ-10). */
  public enum Deaf {
    /** It still gets its whole grace, as with containerd. */
    GETS_ITS_GRACE,
    /** It is sent SIGKILL at once; result and code are the same, only earlier (RAC-55). */
    IS_KILLED_AT_ONCE
  }

  public StopOrder {
    requireNonNull(reason, "reason");
    requireNonNull(signal, "signal");
    requireNonNull(deaf, "deaf");
    if (grace.isNegative()) {
      throw new IllegalArgumentException("grace: must not be negative, got " + grace);
    }
  }

  /** The ordinary stop: at least two seconds of grace (TERM-03). */
  public static StopOrder gracefully(RuntimeStopReason reason, Signal signal, Duration grace) {
    var atLeast = grace.compareTo(SHORTEST_GRACE) < 0 ? SHORTEST_GRACE : grace;
    return new StopOrder(reason, signal, atLeast, Deaf.GETS_ITS_GRACE);
  }

  /** The stop inside a restart of all containers (RAC-13, RAC-55). */
  public static StopOrder forRestart(RuntimeStopReason reason, Signal signal) {
    return new StopOrder(reason, signal, SHORTEST_GRACE, Deaf.IS_KILLED_AT_ONCE);
  }

  /** SIGKILL, now. */
  public static StopOrder atOnce(RuntimeStopReason reason) {
    return new StopOrder(reason, Signal.SIGKILL, Duration.ZERO, Deaf.IS_KILLED_AT_ONCE);
  }
}
