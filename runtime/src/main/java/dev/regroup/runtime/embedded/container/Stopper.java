package dev.regroup.runtime.embedded.container;

import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeFailure.Kind;
import dev.regroup.runtime.RuntimeRecord;
import dev.regroup.runtime.RuntimeRecord.State;
import dev.regroup.runtime.RuntimeRecord.Warning;
import dev.regroup.runtime.Signal;
import dev.regroup.runtime.StopOrder;
import dev.regroup.runtime.embedded.supervision.Launcher;
import dev.regroup.runtime.process.ProcessList;
import dev.regroup.runtime.process.ProcessList.Hearing;
import java.io.IOException;
import java.time.Duration;

/** Ends the process of a run: the signal that was asked for, some grace, SIGKILL. */
public final class Stopper {

  /** How long a killed process may take to be gone: 10 s (TERM-11). */
  private static final Duration AFTER_KILL = Duration.ofSeconds(10);

  /** So long a shell takes to start a child, unless the machine is busy: 50 ms. */
  private static final Duration A_MOMENT = Duration.ofMillis(50);

  private final Launcher launcher;

  public Stopper(Launcher launcher) {
    this.launcher = launcher;
  }

  /** Returns when it has ended. */
  public RuntimeRecord stop(ContainerRun run, StopOrder order)
      throws RuntimeFailure, InterruptedException {
    if (run.record().state() != State.RUNNING) {
      return run.record();
    }
    var hearing = launcher.call(() -> sendStop(run, order));
    if (endsByItself(run, order, hearing)) {
      return run.record();
    }
    kill(run);
    awaitKilled(run);
    return run.record();
  }

  /** Keeps the labels, then sends the signal, unless it would have no effect. */
  private Hearing sendStop(ContainerRun run, StopOrder order) throws IOException {
    run.stopping(order.labels());
    var hearing = hearing(run, order);
    if (hearing != Hearing.DEAF) {
      run.warned(Warning.HEARD);
      run.signal(order.signal());
    } else if (run.record().warning() == Warning.NONE) { // else an earlier stop was heard
      run.warned(Warning.UNHEARD);
    }
    return hearing;
  }

  private static Hearing hearing(ContainerRun run, StopOrder order) {
    if (order.grace().isZero()) {
      return Hearing.DEAF; // no time to react: SIGKILL at once (JS-169)
    }
    return switch (order.deaf()) {
      case IS_KILLED_AT_ONCE -> ProcessList.hearing(run.record().pid(), order.signal().number());
      case GETS_ITS_GRACE -> Hearing.HEARS;
    };
  }

  private boolean endsByItself(ContainerRun run, StopOrder order, Hearing hearing)
      throws RuntimeFailure, InterruptedException {
    return switch (hearing) {
      case HEARS -> run.awaitEnd(order.grace());
      case DEAF -> false;
      case BLOCKS -> endsWhileBlocking(run, order);
    };
  }

  /** Perhaps it blocks only while it starts a child: asked again and again (RAC-55). */
  private boolean endsWhileBlocking(ContainerRun run, StopOrder order)
      throws RuntimeFailure, InterruptedException {
    long killAt = System.nanoTime() + order.grace().toNanos();
    var hearing = Hearing.BLOCKS;
    while (hearing == Hearing.BLOCKS && killAt - System.nanoTime() > 0) {
      if (run.awaitEnd(A_MOMENT)) {
        return true;
      }
      hearing = launcher.call(() -> hearing(run, order));
    }
    if (hearing == Hearing.DEAF) { // it was only busy
      run.warned(Warning.UNHEARD);
      return false;
    }
    var left = Duration.ofNanos(Math.max(0, killAt - System.nanoTime()));
    return hearing == Hearing.HEARS && run.awaitEnd(left);
  }

  public void kill(ContainerRun run) throws RuntimeFailure, InterruptedException {
    launcher.call(() -> run.signal(Signal.SIGKILL));
  }

  /** Waits until a killed one has ended. */
  public void awaitKilled(ContainerRun run) throws RuntimeFailure, InterruptedException {
    if (run.record().state() != State.RUNNING || run.awaitEnd(AFTER_KILL)) {
      return;
    }
    launcher.call(() -> { // the kernel ends the rest with the parent (TERM-11)
      run.force();
      return run;
    });
    if (!run.awaitEnd(AFTER_KILL)) {
      throw new RuntimeFailure(Kind.TIMED_OUT, run.key() + " does not end after SIGKILL");
    }
  }
}
