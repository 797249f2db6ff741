package dev.regroup.runtime.embedded.container;

import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeFailure.Kind;
import dev.regroup.runtime.RuntimeRecord;
import dev.regroup.runtime.RuntimeRecord.State;
import dev.regroup.runtime.Signal;
import dev.regroup.runtime.StopOrder;
import dev.regroup.runtime.embedded.files.Fields;
import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.embedded.supervision.Launcher;
import dev.regroup.runtime.process.ProcessList;
import dev.regroup.runtime.process.ProcessList.Hearing;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** Ends the process of an attempt: the signal that was asked for, some grace, SIGKILL. */
public final class Stopper {

  /** How long a killed process may take to be gone: 10 s (TERM-11). */
  private static final Duration AFTER_KILL = Duration.ofSeconds(10);

  /** So long a shell takes at most to start a child: 50 ms. */
  private static final Duration A_MOMENT = Duration.ofMillis(50);

  private final Launcher launcher;

  public Stopper(Launcher launcher) {
    this.launcher = launcher;
  }

  /** Returns when it has ended. */
  public RuntimeRecord stop(Attempt attempt, StopOrder order)
      throws RuntimeFailure, InterruptedException {
    if (attempt.record().state() != State.RUNNING) {
      return attempt.record();
    }
    var hearing = launcher.call(() -> sendStop(attempt, order));
    if (endsByItself(attempt, order, hearing)) {
      return attempt.record();
    }
    kill(attempt);
    awaitKilled(attempt);
    return attempt.record();
  }

  /** Keeps the reason, then sends the signal, unless it would have no effect. */
  private Hearing sendStop(Attempt attempt, StopOrder order) throws IOException {
    Path file = attempt.directory().resolve(Layout.STOP);
    if (Fields.read(file).isEmpty()) {
      new Fields().add("reason", order.reason()).write(file);
    }
    var hearing = hearing(attempt, order);
    if (hearing != Hearing.DEAF) {
      attempt.signal(order.signal());
    }
    return hearing;
  }

  private static Hearing hearing(Attempt attempt, StopOrder order) {
    if (order.grace().isZero()) {
      return Hearing.DEAF; // no time to react: SIGKILL at once (JS-169)
    }
    return switch (order.deaf()) {
      case IS_KILLED_AT_ONCE ->
          ProcessList.hearing(attempt.record().pid(), order.signal().number());
      case GETS_ITS_GRACE -> Hearing.HEARS;
    };
  }

  private boolean endsByItself(Attempt attempt, StopOrder order, Hearing hearing)
      throws RuntimeFailure, InterruptedException {
    return switch (hearing) {
      case HEARS -> attempt.awaitEnd(order.grace());
      case DEAF -> false;
      case BLOCKS -> // perhaps only now, because it was starting a child (RAC-55)
          attempt.awaitEnd(A_MOMENT)
              || (launcher.call(() -> hearing(attempt, order)) != Hearing.DEAF
                  && attempt.awaitEnd(order.grace()));
    };
  }

  public void kill(Attempt attempt) throws RuntimeFailure, InterruptedException {
    launcher.call(() -> attempt.signal(Signal.SIGKILL));
  }

  /** Waits until a killed one has ended. */
  public void awaitKilled(Attempt attempt) throws RuntimeFailure, InterruptedException {
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
