package dev.regroup.runtime.embedded;

import dev.regroup.runtime.ContainerRecord;
import dev.regroup.runtime.ContainerRecord.State;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeFailure.Kind;
import dev.regroup.runtime.Signal;
import dev.regroup.runtime.StopOrder;
import dev.regroup.runtime.process.ProcessList;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** Ends the process of an attempt: the signal that was asked for, some grace, SIGKILL. */
final class Stopper {

  /** How long a killed process may take to be gone: 10 s (TERM-11). */
  private static final Duration AFTER_KILL = Duration.ofSeconds(10);

  private final Launcher launcher;

  Stopper(Launcher launcher) {
    this.launcher = launcher;
  }

  /** Returns when it has ended. */
  ContainerRecord stop(Attempt attempt, StopOrder order)
      throws RuntimeFailure, InterruptedException {
    if (attempt.record().state() != State.RUNNING) {
      return attempt.record();
    }
    boolean sent = launcher.call(() -> sendStop(attempt, order));
    if (sent && attempt.awaitEnd(order.grace())) {
      return attempt.record();
    }
    kill(attempt);
    awaitKilled(attempt);
    return attempt.record();
  }

  /** Keeps the reason, then sends the signal; false if waiting for its effect makes no sense. */
  private boolean sendStop(Attempt attempt, StopOrder order) throws IOException {
    Path file = attempt.directory().resolve(Layout.STOP);
    if (Fields.read(file).isEmpty()) {
      new Fields().add("reason", order.reason()).write(file);
    }
    Signal signal = order.signal();
    if (order.deaf() == StopOrder.Deaf.IS_KILLED_AT_ONCE) {
      var heard = ProcessList.heardSignals(attempt.record().pid());
      if (heard.isPresent() && (heard.getAsLong() & (1L << (signal.number() - 1))) == 0) {
        return false;
      }
    }
    attempt.signal(signal);
    return true;
  }

  void kill(Attempt attempt) throws RuntimeFailure, InterruptedException {
    launcher.call(() -> attempt.signal(Signal.SIGKILL));
  }

  /** Waits until a killed one has ended. */
  void awaitKilled(Attempt attempt) throws RuntimeFailure, InterruptedException {
    if (attempt.record().state() != State.RUNNING || attempt.awaitEnd(AFTER_KILL)) {
      return;
    }
    launcher.call(() -> { // the kernel ends the rest with the parent (TERM-11)
      attempt.force();
      return attempt;
    });
    if (!attempt.awaitEnd(AFTER_KILL)) {
      throw new RuntimeFailure(Kind.TIMED_OUT, attempt.key() + " does not end after SIGKILL");
    }
  }
}
