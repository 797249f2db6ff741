package dev.regroup.runtime;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Map;

/**
 * How to stop a container: the signal, then up to {@code grace}, then SIGKILL.
 *
 * @param labels kept with the record before the signal is sent, so that an exit the node caused is
 *     told from one the program chose (DEC-50), also after a crash; with none the stop needs no
 *     disk
 * @param deaf what to do when PID 1 can never receive the signal
 */
public record StopOrder(Map<String, String> labels, Signal signal, Duration grace, Deaf deaf) {

  /** A PID 1 that neither catches nor waits for the signal never sees it (SEQ-10). */
  public enum Deaf {
    /** It still gets its whole grace, as with containerd. */
    GETS_ITS_GRACE,
    /** It is sent SIGKILL at once; result and code are the same, only earlier (RAC-55). */
    IS_KILLED_AT_ONCE
  }

  /** SIGKILL, now. */
  public static final StopOrder AT_ONCE =
      new StopOrder(Map.of(), Signal.SIGKILL, Duration.ZERO, Deaf.IS_KILLED_AT_ONCE);

  public StopOrder {
    labels = Map.copyOf(labels);
    requireNonNull(signal, "signal");
    requireNonNull(deaf, "deaf");
    if (grace.isNegative()) {
      throw new IllegalArgumentException("grace: must not be negative, got " + grace);
    }
  }

  /** SIGTERM and this grace. */
  public static StopOrder gracefully(Duration grace) {
    return new StopOrder(Map.of(), Signal.SIGTERM, grace, Deaf.GETS_ITS_GRACE);
  }

  public StopOrder labelled(Map<String, String> newLabels) {
    return new StopOrder(newLabels, signal, grace, deaf);
  }
}
