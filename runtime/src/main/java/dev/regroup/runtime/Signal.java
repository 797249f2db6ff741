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
  SIGSYS(31),
  SIGRTMIN(34),
  SIGRTMIN_1(35),
  SIGRTMIN_2(36),
  SIGRTMIN_3(37),
  SIGRTMIN_4(38),
  SIGRTMIN_5(39),
  SIGRTMIN_6(40),
  SIGRTMIN_7(41),
  SIGRTMIN_8(42),
  SIGRTMIN_9(43),
  SIGRTMIN_10(44),
  SIGRTMIN_11(45),
  SIGRTMIN_12(46),
  SIGRTMIN_13(47),
  SIGRTMIN_14(48),
  SIGRTMIN_15(49),
  SIGRTMAX_14(50),
  SIGRTMAX_13(51),
  SIGRTMAX_12(52),
  SIGRTMAX_11(53),
  SIGRTMAX_10(54),
  SIGRTMAX_9(55),
  SIGRTMAX_8(56),
  SIGRTMAX_7(57),
  SIGRTMAX_6(58),
  SIGRTMAX_5(59),
  SIGRTMAX_4(60),
  SIGRTMAX_3(61),
  SIGRTMAX_2(62),
  SIGRTMAX_1(63),
  SIGRTMAX(64);

  private final int number;

  Signal(int number) {
    this.number = number;
  }

  public int number() {
    return number;
  }

  /** The signal of this name, as {@code lifecycle.stopSignal} spells it. */
  public static Optional<Signal> named(String name) {
    String known =
        switch (name) {
          case "SIGCLD" -> "SIGCHLD";
          case "SIGIOT" -> "SIGABRT";
          case "SIGPOLL" -> "SIGIO";
          default -> name.replace('+', '_').replace('-', '_'); // SIGRTMIN+3
        };
    for (Signal signal : values()) {
      if (signal.name().equals(known)) {
        return Optional.of(signal);
      }
    }
    return Optional.empty();
  }
}
