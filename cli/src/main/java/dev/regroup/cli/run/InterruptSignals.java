package dev.regroup.cli.run;

import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.LoggerFactory;

/**
 * Turns Ctrl-C, SIGTERM and SIGHUP into interrupts of one thread, each anew: a second one can cut
 * short what the first began. A shutdown hook could not: the JVM keeps the second signal back until
 * all hooks are done.
 */
public final class InterruptSignals {

  private static final List<String> NAMES = List.of("INT", "TERM", "HUP");

  private final Thread thread;
  private final AtomicBoolean heard = new AtomicBoolean(true);

  private InterruptSignals(Thread thread) {
    this.thread = thread;
  }

  /** From now on a signal interrupts the thread instead of ending the program. */
  public static InterruptSignals interrupting(Thread thread) {
    var signals = new InterruptSignals(thread);
    for (String name : NAMES) {
      signals.take(name);
    }
    return signals;
  }

  /** What follows must not be cut short: signals do nothing any more. */
  public void ignore() {
    heard.set(false);
    var _ = Thread.interrupted();
  }

  private void interrupt() {
    if (heard.get()) {
      thread.interrupt();
    }
  }

  private void take(String name) {
    on(name, this::interrupt);
  }

  /**
   * From now on the signal of this name, such as {@code WINCH}, does this.
   *
   * <p>By reflection, because the compiler refuses the class in a build without warnings; it is
   * part of a module that exports it, {@code jdk.unsupported}, and there is no other way to a
   * signal.
   */
  public static void on(String name, Runnable heardOne) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      var interrupt =
          MethodHandles.lookup()
              .findVirtual(Runnable.class, "run", MethodType.methodType(void.class))
              .bindTo(heardOne);
      Object listener =
          MethodHandleProxies.asInterfaceInstance(
              handler, MethodHandles.dropArguments(interrupt, 0, signal));
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance(name), listener);
    } catch (ReflectiveOperationException e) {
      LoggerFactory.getLogger(InterruptSignals.class).warn("SIG{} cannot be heard", name, e);
    }
  }
}
