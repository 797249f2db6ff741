package dev.regroup.bench;

import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.Spawn;
import dev.regroup.runtime.linux.SyscallFailure;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * The floor of everything that starts processes: {@code posix_spawn} of the same programs with
 * nothing around them, from the first call until all of them have rung.
 */
final class ProcessFloor {

  private ProcessFloor() {}

  /** One start of all of them; they are ended and reaped before this returns. */
  static Duration once(Bell bell, List<String> workers, Bell.Manners manners)
      throws IOException, InterruptedException {
    var command = Bell.command(manners);
    var children = new ArrayList<Integer>();
    try {
      long begin = System.nanoTime();
      for (String worker : workers) {
        children.add(spawn(command, bell.directory(), worker));
      }
      var last = bell.awaitAll(new LinkedHashSet<>(workers));
      return Duration.ofNanos(last.nanos() - begin);
    } finally {
      children.forEach(Linux::kill);
      children.forEach(Linux::reapWaiting);
    }
  }

  private static int spawn(List<String> command, Path bell, String worker) throws SyscallFailure {
    return Spawn.start(
        Path.of(command.getFirst()),
        command,
        List.of("BELL=" + bell, "WORKER=" + worker, "PATH=/usr/bin:/bin"),
        Map.of());
  }
}
