package dev.regroup.runtime.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What {@code /proc} says about a process. Every answer may be out of date when it is given. That a
 * process cannot be looked at, because descriptors are short, is no answer: unless it is gone that
 * is an {@link UncheckedIOException}.
 */
public final class ProcessList {

  /** The kernel tells when the machine started in whole seconds: 2 s. */
  private static final Duration CLOCK_ERROR = Duration.ofSeconds(2);

  private ProcessList() {}

  /** Whether the process was started with exactly these arguments. */
  public static boolean runs(int pid, List<String> argv) {
    return arguments(pid).equals(argv);
  }

  /** What the process was started with; empty if it has ended. */
  public static List<String> arguments(int pid) {
    try {
      String found = Files.readString(Path.of("/proc/" + pid + "/cmdline"), StandardCharsets.UTF_8);
      return found.isEmpty()
          ? List.of()
          : List.of(found.substring(0, found.length() - 1).split("\0", -1));
    } catch (IOException e) {
      requireGone(pid, e);
      return List.of();
    }
  }

  private static void requireGone(int pid, IOException e) {
    if (Files.exists(Path.of("/proc/" + pid))) { // needs no descriptor
      throw new UncheckedIOException("process " + pid + " cannot be looked at", e);
    }
  }

  /** The processes that were started with exactly these arguments. */
  public static List<Integer> running(List<String> argv) {
    return all().stream().filter(pid -> runs(pid, argv)).toList();
  }

  /**
   * Whether the process was there at this time, as far as clocks can tell. A process that got the
   * number of another one later was not; one that was prepared long before it ran was.
   */
  public static boolean existedAt(int pid, Instant at) {
    var began = ProcessHandle.of(pid).flatMap(process -> process.info().startInstant());
    return began.isPresent() && Duration.between(at, began.get()).compareTo(CLOCK_ERROR) <= 0;
  }

  public static OptionalInt parent(int pid) {
    String value = statusField(pid, "PPid:");
    return value.isEmpty() ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(value));
  }

  /** What becomes of a signal sent to a process. */
  public enum Hearing {
    /** It has an effect, or nobody can tell. */
    HEARS,
    /** As PID 1 of its namespace it does not catch it, or it has ended: nothing happens. */
    DEAF,
    /**
     * It blocks the signal as PID 1. Small init programs do so and ask for it ({@code sigwait});
     * shells do so for a moment whenever they start a child.
     */
    BLOCKS
  }

  public static Hearing hearing(int pid, int signal) {
    try {
      return heard(pid, signal);
    } catch (UncheckedIOException e) {
      return Hearing.HEARS;
    }
  }

  private static Hearing heard(int pid, int signal) {
    String caught = statusField(pid, "SigCgt:");
    String blocked = statusField(pid, "SigBlk:");
    if (caught.isEmpty() || blocked.isEmpty()) {
      return Hearing.DEAF; // gone
    }
    if (isInsideOthersNamespace(pid)) {
      return Hearing.HEARS;
    }
    if (contains(caught, signal)) {
      return Hearing.HEARS;
    }
    return contains(blocked, signal) ? Hearing.BLOCKS : Hearing.DEAF;
  }

  private static boolean contains(String mask, int signal) {
    return (Long.parseUnsignedLong(mask, 16) & (1L << (signal - 1))) != 0;
  }

  /** Whether it is known to be another process than PID 1 of the namespace it lives in. */
  public static boolean isInsideOthersNamespace(int pid) {
    String numbers = statusField(pid, "NSpid:"); // from the outermost namespace to its own
    return !numbers.isEmpty() && !numbers.substring(numbers.lastIndexOf('\t') + 1).equals("1");
  }

  /** Processes that live in this mount and process namespace, as their links in /proc name them. */
  public static List<Integer> living(String mounts, String processes) {
    return all().stream().filter(pid -> lives(pid, mounts, processes)).toList();
  }

  private static List<Integer> all() {
    var found = new ArrayList<Integer>();
    try (var entries = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
      for (Path entry : entries) {
        found.add(Integer.parseInt(entry.getFileName().toString()));
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

  /** Processes of this process namespace, wherever their mounts are. */
  public static List<Integer> inside(String processes) {
    return all().stream()
        .filter(pid -> namespace(pid, "pid").equals(Optional.of(processes)))
        .toList();
  }

  /** Whether it is in this program's process namespace. */
  public static boolean isBesideThis(int pid) {
    var processes = namespace(pid, "pid");
    return processes.isPresent() && processes.equals(namespace(self(), "pid"));
  }

  /** Whether it is known to have other mounts than this program. */
  public static boolean isElsewhere(int pid) {
    var mounts = namespace(pid, "mnt");
    return mounts.isPresent() && !mounts.equals(namespace(self(), "mnt"));
  }

  private static int self() {
    return (int) ProcessHandle.current().pid();
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
      requireGone(pid, e);
      return "";
    }
  }
}
