package dev.regroup.runtime.process;

import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.SyscallFailure;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The processes that run the interpreter of a directory, whatever records say about them. Each
 * directory has its own copy of that program, so the file a process executes names its owner; a
 * directory of the same name in another container is another file.
 */
public final class Strays {

  /** How the names of those programs begin. */
  static final String PREFIX = "interpreter-";

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private Strays() {}

  /** All that run now; some may have ended when this returns. */
  public static List<Integer> of(Path directory) throws IOException {
    var programs = programs(directory);
    var found = new ArrayList<Integer>();
    try (var entries = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
      for (Path entry : entries) {
        if (runs(entry, programs)) {
          found.add(Integer.parseInt(entry.getFileName().toString()));
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return found;
  }

  /** Kills those whose arguments are wanted and waits until they have ended. */
  public static void end(Path directory, Predicate<List<String>> wanted) throws IOException {
    var programs = programs(directory);
    for (int pid : of(directory)) {
      try (var pidfd = Linux.pidfdOpen(pid)) {
        if (!wanted.test(ProcessList.arguments(pid))
            || !runs(Path.of("/proc/" + pid), programs)) { // or the number is another's now
          continue;
        }
        Linux.tryKill(pidfd);
        if (!Linux.awaitReadable(pidfd, PATIENCE)) {
          throw new IOException("process " + pid + " does not end after SIGKILL");
        }
        Linux.reap(pidfd); // if it is a child of this program
      } catch (SyscallFailure e) {
        if (Files.exists(Path.of("/proc/" + pid))) {
          throw e;
        }
      }
    }
  }

  private static boolean runs(Path process, Set<Object> programs) {
    try {
      return programs.contains(key(process.resolve("exe")));
    } catch (IOException e) {
      return false; // ended, or a thread of the kernel
    }
  }

  private static Set<Object> programs(Path directory) throws IOException {
    var keys = new HashSet<>();
    try (var files = Files.newDirectoryStream(directory, PREFIX + "*")) {
      for (Path file : files) {
        keys.add(key(file));
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return keys;
  }

  /** Device and number of the file. */
  private static Object key(Path file) throws IOException {
    var key = Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    if (key == null) {
      throw new IOException(file + " cannot be told from other files");
    }
    return key;
  }
}
