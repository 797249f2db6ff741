package dev.regroup.runtime.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** What {@code /proc} says about a process. Every answer may be out of date when it is given. */
public final class ProcessList {

  private ProcessList() {}

  /** Whether the process was started with exactly these arguments. */
  public static boolean runs(int pid, List<String> argv) {
    try {
      String found = Files.readString(Path.of("/proc/" + pid + "/cmdline"), StandardCharsets.UTF_8);
      return found.equals(String.join("\0", argv) + "\0");
    } catch (IOException e) {
      return false;
    }
  }

  public static OptionalInt parent(int pid) {
    String value = statusField(pid, "PPid:");
    return value.isEmpty() ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(value));
  }

  /**
   * Signals the process can receive although it is PID 1 of its namespace: those it catches and
   * those it blocks, for blocked ones wait until somebody asks for them ({@code sigwait}, as small
   * init programs do). Bit n-1 stands for signal n.
   */
  public static OptionalLong heardSignals(int pid) {
    String caught = statusField(pid, "SigCgt:");
    String blocked = statusField(pid, "SigBlk:");
    if (caught.isEmpty() || blocked.isEmpty()) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(
        Long.parseUnsignedLong(caught, 16) | Long.parseUnsignedLong(blocked, 16));
  }

  private static String statusField(int pid, String name) {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
        if (line.startsWith(name)) {
          return line.substring(name.length()).strip();
        }
      }
      return "";
    } catch (IOException e) {
      return "";
    }
  }
}
