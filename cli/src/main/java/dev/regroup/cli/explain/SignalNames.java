package dev.regroup.cli.explain;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Signals that end processes, by the exit code they show as: 128 + n (DEC-04). */
final class SignalNames {

  private static final int BASE = 128;

  private static final Map<Integer, String> NAMES =
      Map.ofEntries(
          Map.entry(1, "SIGHUP"),
          Map.entry(2, "SIGINT"),
          Map.entry(3, "SIGQUIT"),
          Map.entry(4, "SIGILL"),
          Map.entry(6, "SIGABRT"),
          Map.entry(7, "SIGBUS"),
          Map.entry(8, "SIGFPE"),
          Map.entry(9, "SIGKILL"),
          Map.entry(10, "SIGUSR1"),
          Map.entry(11, "SIGSEGV"),
          Map.entry(12, "SIGUSR2"),
          Map.entry(13, "SIGPIPE"),
          Map.entry(14, "SIGALRM"),
          Map.entry(15, "SIGTERM"));

  private SignalNames() {}

  static Optional<String> ofExitCode(int code) {
    return Optional.ofNullable(NAMES.get(code - BASE));
  }

  /** The exit code of a signal's name, with or without SIG. */
  static OptionalInt exitCode(String name) {
    for (var signal : NAMES.entrySet()) {
      if (signal.getValue().equals(name) || signal.getValue().equals("SIG" + name)) {
        return OptionalInt.of(BASE + signal.getKey());
      }
    }
    return OptionalInt.empty();
  }
}
