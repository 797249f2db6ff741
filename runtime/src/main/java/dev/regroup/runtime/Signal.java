package dev.regroup.runtime;

import java.util.Optional;

/** Signals that stop or poke a container, with the numbers of Linux on x86-64 and arm64. */
public enum Signal {
  SIGHUP(1),
  SIGINT(2),
  SIGQUIT(3),
  SIGILL(4),
  SIGTRAP(5),
  SIGABRT(6),
  SIGBUS(7),
  SIGFPE(8),
  SIGKILL(9),
  SIGUSR1(10),
  SIGSEGV(11),
  SIGUSR2(12),
  SIGPIPE(13),
  SIGALRM(14),
  SIGTERM(15),
  SIGSTKFLT(16),
  SIGCHLD(17),
  SIGCONT(18),
  SIGSTOP(19),
  SIGTSTP(20),
  SIGTTIN(21),
  SIGTTOU(22),
  SIGURG(23),
  SIGXCPU(24),
  SIGXFSZ(25),
  SIGVTALRM(26),
  SIGPROF(27),
  SIGWINCH(28),
  SIGIO(29),
  SIGPWR(30),
  SIGSYS(31);

  private final int number;

  Signal(int number) {
    this.number = number;
  }

  public int number() {
    return number;
  }

  /** The signal of this name, as {@code lifecycle.stopSignal} spells it. */
  public static Optional<Signal> named(String name) {
    for (Signal signal : values()) {
      if (signal.name().equals(name)) {
        return Optional.of(signal);
      }
    }
    return Optional.empty();
  }
}
