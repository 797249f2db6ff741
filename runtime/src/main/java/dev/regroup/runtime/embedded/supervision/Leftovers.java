package dev.regroup.runtime.embedded.supervision;

import dev.regroup.runtime.Signal;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.SyscallFailure;
import dev.regroup.runtime.process.ProcessList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/**
 * Processes a container's command leaves behind in a process namespace that others share. In one of
 * its own the kernel kills them with PID 1; here they are found by the container's mounts, which no
 * other container has.
 *
 * <p>After a restart of this program nobody knows these mounts; then what lives in mounts that
 * nobody owns is left over.
 */
public record Leftovers(String mounts, String processes) {

  /** New ones may come while the known are killed; a command that only forks must not hold us. */
  private static final int MOST_ROUNDS = 10;

  /** Those of the command under this supervisor; empty if the supervisor has ended. */
  public static Optional<Leftovers> under(int supervisor) {
    var mounts = ProcessList.namespace(supervisor, "mnt");
    var processes = ProcessList.namespace(supervisor, "pid_for_children");
    if (mounts.isEmpty() || processes.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(new Leftovers(mounts.get(), processes.get()));
  }

  public void kill() {
    for (int round = 0; round < MOST_ROUNDS; round++) {
      var found = ProcessList.living(mounts, processes);
      if (found.isEmpty()) {
        return;
      }
      found.forEach(this::kill);
    }
  }

  /**
   * Kills what lives in the pod's process namespace, but in nobody's mounts. PID 1 of it belongs to
   * the sandbox and has an empty root of its own.
   */
  public static void killStrays(int sandbox, List<Integer> supervisors) {
    var processes = ProcessList.namespace(sandbox, "pid_for_children");
    if (processes.isEmpty()) {
      return; // it has ended, and what was inside with it
    }
    var owned = new HashSet<Optional<String>>();
    owned.add(Optional.empty()); // it has ended
    owned.add(ProcessList.namespace(sandbox, "mnt"));
    supervisors.forEach(supervisor -> owned.add(ProcessList.namespace(supervisor, "mnt")));
    for (int pid : ProcessList.inside(processes.get())) {
      var mounts = ProcessList.namespace(pid, "mnt");
      if (!owned.contains(mounts) && ProcessList.isInsideOthersNamespace(pid)) {
        new Leftovers(mounts.get(), processes.get()).kill();
      }
    }
  }

  private void kill(int pid) {
    try (var process = Linux.pidfdOpen(pid)) {
      if (ProcessList.lives(pid, mounts, processes)) { // the number was not given away meanwhile
        SignalSender.send(process, Signal.SIGKILL);
      }
    } catch (SyscallFailure e) {
      return; // it has ended: what was wanted
    }
  }
}
