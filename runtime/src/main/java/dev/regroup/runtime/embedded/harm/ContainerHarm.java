package dev.regroup.runtime.embedded.harm;

import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeFailure.Kind;
import dev.regroup.runtime.Signal;
import dev.regroup.runtime.embedded.supervision.SignalSender;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.SyscallFailure;
import dev.regroup.runtime.process.ProcessList;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * One running container, to be hurt. Its processes are those that live in its namespaces when it is
 * asked; a process that is born meanwhile is missed. Any thread.
 */
public final class ContainerHarm {

  /**
   * A process that enters the group of the container and fills it: with a file in memory, which
   * counts for the group and not for the process, so that the kernel finds somebody else to end;
   * where there is no room for such a file, with memory of its own.
   */
  private static final String EATER =
      "echo $$ > \"$1\" || exit 1; f=$(mktemp -p /dev/shm) && exec 3> \"$f\" && rm \"$f\""
          + " && cat /dev/zero >&3; exec tail /dev/zero";

  private static final String FIRST_TO_GO = "1000"; // of all, if memory is short

  private final ContainerKey key;
  private final int pid;
  private final List<Path> groups;

  /**
   * @param pid PID 1 of the container as the host sees it
   * @param groups the control groups it is in
   */
  public ContainerHarm(ContainerKey key, int pid, List<Path> groups) {
    this.key = key;
    this.pid = pid;
    this.groups = List.copyOf(groups);
  }

  /** Sends a signal to all processes of the container; returns how many got it. */
  public int signal(Signal signal) throws RuntimeFailure {
    var mounts = ProcessList.namespace(pid, "mnt");
    var space = ProcessList.namespace(pid, "pid");
    int sent = 0;
    if (mounts.isPresent() && space.isPresent()) {
      for (int process : ProcessList.living(mounts.get(), space.get())) {
        sent += send(process, signal, mounts.get(), space.get()) ? 1 : 0;
      }
    }
    if (sent == 0) {
      throw new RuntimeFailure(Kind.WRONG_STATE, key + " does not run");
    }
    return sent;
  }

  /**
   * Fills the memory of the container up to its limit. The kernel then ends its own processes
   * first; the one that fills it is returned, ends with them or by the same limit, and is the
   * caller's to end if it does not.
   */
  public Process fillMemory() throws RuntimeFailure {
    Path group =
        groups.stream()
            .filter(ContainerHarm::limitsMemory)
            .findFirst()
            .orElseThrow(() ->
                new RuntimeFailure(
                    Kind.WRONG_STATE, key + " has no limit of memory that could be reached"));
    try {
      for (int process : processes()) {
        letGoFirst(process);
      }
      var eater = List.of("sh", "-c", EATER, "sh", group.resolve("cgroup.procs").toString());
      return new ProcessBuilder(eater)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start();
    } catch (IOException e) {
      throw new RuntimeFailure(Kind.SYSTEM, "memory of " + key + ": " + e.getMessage(), e);
    }
  }

  /** Does nothing to one that has ended since somebody saw it. */
  static void letGoFirst(long process) throws IOException {
    var score = Path.of("/proc/" + process + "/oom_score_adj");
    try {
      Files.writeString(score, FIRST_TO_GO, StandardOpenOption.WRITE);
    } catch (IOException e) {
      if (Files.exists(score)) {
        throw e;
      }
    }
  }

  private static boolean limitsMemory(Path group) {
    try {
      Path limit = group.resolve("memory.max");
      return Files.exists(limit)
          ? !Files.readString(limit).strip().equals("max")
          : Files.exists(group.resolve("memory.limit_in_bytes"));
    } catch (IOException e) {
      return false;
    }
  }

  /** Whether the container still runs. */
  public boolean isAlive() {
    return ProcessHandle.of(pid).isPresent();
  }

  private List<Integer> processes() {
    var mounts = ProcessList.namespace(pid, "mnt");
    var space = ProcessList.namespace(pid, "pid");
    return mounts.isEmpty() || space.isEmpty()
        ? List.of()
        : ProcessList.living(mounts.get(), space.get());
  }

  private static boolean send(int process, Signal signal, String mounts, String space) {
    try (var handle = Linux.pidfdOpen(process)) {
      return ProcessList.lives(process, mounts, space) // the number was not given away meanwhile
          && SignalSender.send(handle, signal);
    } catch (SyscallFailure e) {
      return false; // it has ended
    }
  }
}
