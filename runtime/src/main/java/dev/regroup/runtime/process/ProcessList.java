package dev.regroup.runtime.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
   * Signals that have an effect on the process: all, unless it is PID 1 of its namespace. Then
   * those it catches and those it blocks, for blocked ones wait until somebody asks for them
   * ({@code sigwait}, as small init programs do). Bit n-1 stands for signal n.
   */
  public static OptionalLong heardSignals(int pid) {
    if (isInsideOthersNamespace(pid)) {
      return OptionalLong.of(-1L);
    }
    String caught = statusField(pid, "SigCgt:");
    String blocked = statusField(pid, "SigBlk:");
    if (caught.isEmpty() || blocked.isEmpty()) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(
        Long.parseUnsignedLong(caught, 16) | Long.parseUnsignedLong(blocked, 16));
  }

  /** Whether it is known to be another process than PID 1 of the namespace it lives in. */
  public static boolean isInsideOthersNamespace(int pid) {
    String numbers = statusField(pid, "NSpid:"); // from the outermost namespace to its own
    return !numbers.isEmpty() && !numbers.substring(numbers.lastIndexOf('\t') + 1).equals("1");
  }

  /** Processes that live in this mount and process namespace, as their links in /proc name them. */
  public static List<Integer> living(String mounts, String processes) {
    var found = new ArrayList<Integer>();
    try (var entries = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
      for (Path entry : entries) {
        int pid = Integer.parseInt(entry.getFileName().toString());
        if (lives(pid, mounts, processes)) {
          found.add(pid);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      return List.of();
    }
    return found;
  }

  public static boolean lives(int pid, String mounts, String processes) {
    return namespace(pid, "mnt").equals(Optional.of(mounts))
        && namespace(pid, "pid").equals(Optional.of(processes));
  }

  /** The name of a namespace of the process; empty if the process has ended. */
  public static Optional<String> namespace(int pid, String kind) {
    try {
      return Optional.of(
          Files.readSymbolicLink(Path.of("/proc/" + pid + "/ns/" + kind)).toString());
    } catch (IOException e) {
      return Optional.empty();
    }
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
