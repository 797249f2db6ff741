package dev.regroup.runtime.embedded;

import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.ContainerRecord;
import dev.regroup.runtime.ContainerRecord.State;
import dev.regroup.runtime.Signal;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.SyscallFailure;
import dev.regroup.runtime.process.LifeLock;
import dev.regroup.runtime.process.ProcessList;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One attempt in memory: a copy of what its files say, and the handles on its processes. Whatever
 * happens, {@link #look} reads the files again; nothing is deduced from anything else. Safe for
 * several threads.
 */
final class Attempt {

  private final ContainerKey key;
  private final Path directory;
  private final ContainerFile file;
  private final AttemptRecords records;
  private final Exits exits;
  private final Consumer<Attempt> changed;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);

  private volatile ContainerRecord record;
  private @Nullable Supervisor supervisor;
  private @Nullable Fd child;
  private Exits.@Nullable Watch files;
  private @Nullable Leftovers leftovers;

  Attempt(
      ContainerKey key,
      Path directory,
      ContainerFile file,
      Exits exits,
      Consumer<Attempt> changed) {
    this.key = key;
    this.directory = directory;
    this.file = file;
    this.exits = exits;
    this.changed = changed;
    this.records = new AttemptRecords(key, directory, file);
    this.record = records.created();
  }

  ContainerKey key() {
    return key;
  }

  Path directory() {
    return directory;
  }

  ContainerFile file() {
    return file;
  }

  ContainerRecord record() {
    return record;
  }

  /** What process lists show for the supervisor; it is recognised by it. */
  static List<String> argv(ContainerKey key) {
    return List.of(
        "regroup-container", key.pod().value(), key.name(), Integer.toString(key.attempt()));
  }

  /** Waits until the command has ended; false when the time is over. */
  boolean awaitEnd(Duration patience) throws InterruptedException {
    return ended.await(patience.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Waits until the supervisor and with it the mounts are gone. */
  boolean awaitRelease(Duration patience) throws InterruptedException {
    return released.await(patience.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Takes over the processes that run, and looks. Once, right after the start or at adoption. */
  synchronized void attach() throws IOException {
    var seen = AttemptFiles.read(directory, LifeLock::held);
    if (seen.alive() && seen.start().isPresent()) {
      var start = seen.start().get();
      Supervisor.find(start.supervisor(), argv(key))
          .ifPresent(found -> watch(found, start.child()));
    }
    if (supervisor == null) {
      released.countDown();
    }
    look();
  }

  private void watch(Supervisor found, int childPid) {
    supervisor = found;
    child = openChild(childPid, found.pid());
    if (ProcessList.isInsideOthersNamespace(childPid)) { // else they end with their PID 1
      leftovers = Leftovers.under(found.pid()).orElse(null);
    }
    try {
      files = exits.directory(directory, this::look);
    } catch (SyscallFailure e) {
      files = null; // no room for another watch: the supervisor's end is seen too, only later
    }
    try {
      found.watch(exits, this::supervisorEnded);
    } catch (SyscallFailure e) {
      throw new UncheckedIOException(e);
    }
  }

  private static @Nullable Fd openChild(int pid, int parent) {
    Fd fd;
    try {
      fd = Linux.pidfdOpen(pid);
    } catch (SyscallFailure e) {
      return null; // it has ended, its exit file comes or is there
    }
    if (ProcessList.parent(pid).orElse(0) != parent) { // ended, and the number is another's now
      fd.close();
      return null;
    }
    return fd;
  }

  private void supervisorEnded() {
    synchronized (this) {
      supervisor = null;
    }
    look();
    released.countDown();
  }

  /** Reads the files again and tells if the attempt has ended. Any thread. */
  void look() {
    boolean news;
    synchronized (this) {
      if (over(record)) {
        return; // final: the directory may be gone already
      }
      try {
        record = records.read(AttemptFiles.read(directory, LifeLock::held));
      } catch (IOException e) {
        throw new UncheckedIOException("reading " + directory, e);
      }
      news = over(record);
      if (news) {
        releaseChild();
        if (leftovers != null) {
          leftovers.kill();
        }
        Cgroups.kill(file.cgroups());
        ended.countDown();
      }
    }
    if (news) {
      changed.accept(this);
    }
  }

  private static boolean over(ContainerRecord record) {
    return record.state() == State.EXITED || record.state() == State.UNKNOWN;
  }

  /** Sends a signal to PID 1; false if it is gone. */
  synchronized boolean signal(Signal signal) throws SyscallFailure {
    return child != null && Signals.send(child, signal);
  }

  /** Another handle on PID 1, for joining its namespaces; empty if it is gone. */
  Optional<Fd> openProcess() {
    int pid = record.pid();
    if (pid == 0) {
      return Optional.empty();
    }
    try {
      Fd fd = Linux.pidfdOpen(pid);
      synchronized (this) {
        if (child != null) { // it was alive after opening, so the number was its own
          return Optional.of(fd);
        }
      }
      fd.close();
      return Optional.empty();
    } catch (SyscallFailure e) {
      return Optional.empty();
    }
  }

  /** Kills the supervisor of a command that ended but does not go away. */
  synchronized void force() throws SyscallFailure {
    if (supervisor != null) {
      supervisor.kill();
    }
  }

  /** Lets go of all handles; the processes are not touched. */
  synchronized void detach() {
    releaseChild();
    if (supervisor != null) {
      supervisor.close();
      supervisor = null;
    }
  }

  private void releaseChild() {
    if (files != null) {
      files.close();
      files = null;
    }
    if (child != null) {
      child.close();
      child = null;
    }
  }
}
