package dev.regroup.agent;

import dev.regroup.rules.pod.BackOffMemory;
import dev.regroup.rules.pod.NodeSettings;
import dev.regroup.rules.pod.plan.ContainerBackOff;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How often the worker was started again within its attempt (COND-02), and when it may start next:
 * with the back-off a node gives containers that rules restart (BKO-02, BKO-08). The group's next
 * attempt begins anew (RAC-54). Used by one thread.
 */
final class WorkerRestarts {

  private static final ContainerBackOff.Key WORKER = new ContainerBackOff.Key("worker", "");

  private BackOffMemory memory = BackOffMemory.EMPTY;
  private int count;
  private @Nullable Instant endedAt;

  int count() {
    return count;
  }

  /** The worker ended and is to start again. */
  void ended(Instant at) {
    count++;
    endedAt = at;
  }

  /** How long the worker has to wait still; zero also when none ended. */
  Duration left(Instant now) {
    Instant since = endedAt;
    if (since == null) {
      return Duration.ZERO;
    }
    var backOff = new ContainerBackOff(memory, NodeSettings.product(), now);
    var due = backOff.ask(WORKER, count, since);
    memory = backOff.memory();
    return Duration.between(now, due.at());
  }

  /** For the log. */
  String plan(Instant now) {
    Duration left = left(now);
    String when = left.isZero() ? "" : " in " + ContainerBackOff.text(left);
    return "starting it again" + when + " (restart " + count + " of this attempt)";
  }

  void forget() {
    memory = BackOffMemory.EMPTY;
    count = 0;
    endedAt = null;
  }
}
