package dev.regroup.node.pod;

import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.pod.PodSpec.PodId;
import dev.regroup.rules.pod.plan.StartCause;
import java.time.Instant;

/**
 * Port for those who show how long a restart takes: told the moments of every restart of all
 * containers, and of the first start. Calls come from the pods' workers and must return at once.
 */
@FunctionalInterface
public interface RestartObserver {

  RestartObserver NONE = (_, _, _, _) -> {};

  /** A container was started that has run before; told before the moment that this may be. */
  default void startedAgain(PodId pod, StartCause cause, Instant at) {}

  /**
   * A moment was reached.
   *
   * @param epoch the restart epoch that begins with this restart; 0 for the first start
   */
  void reached(PodId pod, int epoch, Moment moment, Instant at);

  /** Nobody will tell more of this pod. */
  default void left(PodId pod) {}
}
