package dev.regroup.runtime.embedded.supervision;

import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.linux.Syscall;
import dev.regroup.runtime.tape.Tape;
import java.util.List;

/** Why a tape did not get through its setup, for people. */
public final class Refusal {

  private Refusal() {}

  public static boolean among(Tape tape, List<byte[]> messages) {
    return messages.stream().anyMatch(message -> message.length == tape.reportBytes());
  }

  public static String of(Tape tape, List<byte[]> messages) {
    var failures =
        messages.stream()
            .filter(message -> message.length == tape.reportBytes())
            .findFirst()
            .map(tape::failures)
            .orElse(List.of());
    return failures.isEmpty()
        ? "the process ended before it could say why"
        : failures.getLast().message();
  }

  /** The same for a command: a failed execve is told like containerd does. */
  public static String of(Tape tape, List<byte[]> messages, String command) {
    var report =
        messages.stream().filter(message -> message.length == tape.reportBytes()).findFirst();
    var failures = report.map(tape::failures).orElse(List.of());
    if (failures.isEmpty() || failures.getLast().syscall() != Syscall.EXECVE) {
      return of(tape, messages);
    }
    int errno =
        failures.stream().anyMatch(Refusal::denied) ? Errno.EACCES : failures.getLast().errno();
    return "exec: \"%s\": %s".formatted(command, why(errno, command));
  }

  private static String why(int errno, String command) {
    if (errno != Errno.ENOENT) {
      return Errno.text(errno);
    }
    return command.contains("/")
        ? "stat " + command + ": " + Errno.text(errno)
        : "executable file not found in $PATH";
  }

  private static boolean denied(Tape.Failure failure) {
    return failure.syscall() == Syscall.EXECVE && failure.errno() == Errno.EACCES;
  }
}
