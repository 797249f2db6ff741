package dev.regroup.runtime.embedded.container;

import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.RuntimeRecord;
import dev.regroup.runtime.RuntimeRecord.State;
import dev.regroup.runtime.Signal;
import dev.regroup.runtime.embedded.cgroup.Cgroups;
import dev.regroup.runtime.embedded.files.ContainerFile;
import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.embedded.files.StateFile;
import dev.regroup.runtime.embedded.supervision.Exits;
import dev.regroup.runtime.embedded.supervision.Leftovers;
import dev.regroup.runtime.embedded.supervision.SignalSender;
import dev.regroup.runtime.embedded.supervision.Supervisor;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.SyscallFailure;
import dev.regroup.runtime.process.LifeLock;
import dev.regroup.runtime.process.ProcessList;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One run in memory: a copy of what its files say, and the handles on its processes. Whatever
 * happens, {@link #look} reads the files again; nothing is deduced from anything else. Safe for
 * several threads.
 *
 * <p>A run whose supervisor ended without a word is lost (SEQ-25a). First what is left of it is
 * killed, then it is noted as ended, once and for all, at the time it was noticed. One whose
 * supervisor was stopped by somebody ends as its command does: when that has ended the supervisor
 * is told to go on, and says how.
 */
public final class ContainerRun {

  /** What process lists show. */
  public static final String NAME = "regroup-container";

  private static final System.Logger LOG = System.getLogger(ContainerRun.class.getName());

  private final ContainerKey key;
  private final Path directory;
  private final ContainerFile file;
  private final RunRecords records;
  private final Surroundings around;
  private final CountDownLatch ended = new CountDownLatch(1);

  private volatile RuntimeRecord record;
  private @Nullable Supervisor supervisor;
  private boolean supervisorEnded; // the lock may be held on by a child that is being killed
  private @Nullable Fd child;
  private Exits.@Nullable Watch files;
  private @Nullable Leftovers leftovers;
  private Exits.@Nullable Watch childEnd; // until the child has ended
  private boolean childGone;

  /**
   * What a run needs to know of the rest.
   *
   * @param sameBoot whether process numbers in files may still be those of the processes meant
   * @param changed told when the run has ended
   */
  public record Surroundings(
      Exits exits, InstantSource clock, boolean sameBoot, Consumer<ContainerRun> changed) {}

  public ContainerRun(ContainerKey key, Path directory, ContainerFile file, Surroundings around) {
    this.key = key;
    this.directory = directory;
    this.file = file;
    this.around = around;
    this.records = new RunRecords(key, directory, file);
    this.record = records.created();
  }

  public ContainerKey key() {
    return key;
  }

  public Path directory() {
    return directory;
  }

  public ContainerFile file() {
    return file;
  }

  public RuntimeRecord record() {
    return record;
  }

  /** What process lists show for the supervisor; it is recognised by it. */
  public static List<String> argv(ContainerKey key) {
    return List.of(NAME, key.pod().value(), key.name(), Integer.toString(key.run()));
  }

  /** Waits until the command has ended; false when the time is over. */
  boolean awaitEnd(Duration patience) throws InterruptedException {
    return ended.await(patience.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Takes over the processes that run, and looks. Once, right after the start or at adoption. */
  public synchronized void attach() throws IOException {
    var seen = RunFiles.read(directory, LifeLock::held);
    if (seen.alive() && seen.start().isPresent()) {
      var start = seen.start().get();
      var found = Supervisor.find(start.supervisor(), argv(key));
      if (found.isPresent()) {
        watch(found.get(), start.child());
      }
      supervisorEnded = found.isEmpty();
    }
    look();
  }

  private void watch(Supervisor found, int childPid) throws SyscallFailure {
    supervisor = found;
    child = openChild(childPid, found.pid()).orElse(null);
    if (ProcessList.isInsideOthersNamespace(childPid)) { // else they end with their PID 1
      leftovers = Leftovers.under(found.pid()).orElse(null);
    }
    try {
      files = around.exits().directory(directory, this::look);
    } catch (SyscallFailure e) {
      files = null; // no room for another watch: the supervisor's end is seen too, only later
    }
    found.watch(around.exits(), this::supervisorEnded);
    watchChild();
  }

  private void watchChild() throws SyscallFailure {
    if (child != null && childEnd == null) {
      childEnd = around.exits().process(child, this::childEnded);
    }
  }

  private static Optional<Fd> openChild(int pid, int parent) throws SyscallFailure {
    Fd fd;
    try {
      fd = Linux.pidfdOpen(pid);
    } catch (SyscallFailure e) {
      return Supervisor.gone(e); // it has ended, its exit file comes or is there
    }
    if (ProcessList.parent(pid).orElse(0) != parent) { // ended, and the number is another's now
      fd.close();
      return Optional.empty();
    }
    return Optional.of(fd);
  }

  private void supervisorEnded() {
    synchronized (this) {
      supervisor = null;
      supervisorEnded = true;
    }
    look();
  }

  /** Reads the files again and tells if the run has ended. Any thread. */
  public void look() {
    boolean news;
    synchronized (this) {
      if (over(record)) {
        return; // final: the directory may be gone already
      }
      try {
        var seen = RunFiles.read(directory, lock -> !supervisorEnded && LifeLock.held(lock));
        if (seen.state() == RunFiles.State.LOST) {
          boolean dying = killsChild(seen.start().orElseThrow()); // then this looks again
          seen = dying ? seen.running() : seen.lost(noticed());
        }
        var now = records.read(seen);
        news = over(now);
        if (news) {
          releaseChild();
          if (leftovers != null) {
            leftovers.kill();
          }
          Cgroups.kill(file.cgroups());
        }
        record = now.warned(record.warning());
      } catch (IOException e) {
        throw new UncheckedIOException("reading " + directory, e);
      }
      if (news) {
        ended.countDown();
      }
    }
    if (news) {
      around.changed().accept(this);
    }
  }

  /**
   * Whether its end should have been seen: the look at it failed, for want of descriptors perhaps,
   * or its supervisor was stopped once more.
   */
  public synchronized boolean isOverdue() {
    return (supervisorEnded || childGone) && childEnd == null && !over(record);
  }

  /** For one that is overdue. */
  public void lookAgain() {
    if (childGone()) {
      tellSupervisor();
    }
    look();
  }

  private synchronized boolean childGone() {
    return childGone;
  }

  private static boolean over(RuntimeRecord record) {
    return record.state() == State.EXITED;
  }

  /**
   * Kills the command of a lost container; most die with their supervisor, but a command may have
   * seen to it that it does not. Whether its end is still to come.
   */
  private boolean killsChild(StateFile.Start start) throws SyscallFailure {
    if (childGone) {
      return false;
    }
    if (child == null) {
      child = orphan(start);
    }
    if (child == null || !SignalSender.send(child, Signal.SIGKILL)) {
      childGone = true;
      return false;
    }
    watchChild();
    return true;
  }

  private @Nullable Fd orphan(StateFile.Start start) {
    int pid = start.child();
    if (pid == 0 || !around.sameBoot()) {
      return null;
    }
    try {
      Fd fd = Linux.pidfdOpen(pid);
      if (ProcessList.existedAt(pid, start.at()) && ProcessList.isElsewhere(pid)) {
        return fd;
      }
      fd.close();
      return null;
    } catch (SyscallFailure e) {
      return null; // it has ended
    }
  }

  private void childEnded() {
    synchronized (this) {
      closeChildEnd();
      childGone = true;
    }
    if (!tellSupervisor()) {
      look();
    }
  }

  /** Whether there is one whose word about the end is still to come. */
  private synchronized boolean tellSupervisor() {
    if (supervisor == null) {
      return false;
    }
    try {
      supervisor.goOn(); // one that was not stopped does not notice
      return true;
    } catch (SyscallFailure e) {
      throw new UncheckedIOException("supervisor of " + key, e); // and it is tried again
    }
  }

  /** Keeps when the loss was noticed, so that it is the same for all who look later. */
  private StateFile.Exit noticed() {
    var exit = StateFile.Exit.lost(around.clock().instant());
    try {
      exit.write(directory.resolve(Layout.EXIT));
    } catch (IOException e) { // it has ended all the same
      LOG.log(System.Logger.Level.WARNING, "cannot note that " + key + " is lost", e);
    }
    return exit;
  }

  /** Keeps what is said about its stop, once: the first has the say. */
  public synchronized void stopping(Map<String, String> labels) throws IOException {
    if (!labels.isEmpty() && !over(record) && RunFiles.stopLabels(directory).isEmpty()) {
      RunFiles.keepStop(directory, labels);
      record = record.labelled(labels);
    }
  }

  /** Notes what its command knows of its stop: before the signal, which may end it at once. */
  synchronized void warned(RuntimeRecord.Warning warning) {
    if (!over(record)) {
      record = record.warned(warning);
    }
  }

  /** Sends a signal to PID 1; false if it is gone. */
  public synchronized boolean signal(Signal signal) throws SyscallFailure {
    return child != null && SignalSender.send(child, signal);
  }

  /** Another handle on PID 1, for joining its namespaces; empty if it is gone. */
  public Optional<Fd> openProcess() throws SyscallFailure {
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
      return Supervisor.gone(e);
    }
  }

  /** A descriptor that the supervisor holds; empty if it is gone. */
  public synchronized Optional<Fd> held(int number) throws SyscallFailure {
    return supervisor == null
        ? Optional.empty()
        : Optional.of(Linux.copyFrom(supervisor.pidfd(), number));
  }

  /** Kills the supervisor of a command that ended but does not go away. */
  synchronized void force() throws SyscallFailure {
    if (supervisor != null) {
      supervisor.kill();
    }
  }

  /** The number of the supervisor, if it lives. */
  public synchronized IntStream supervisor() {
    return supervisor == null ? IntStream.empty() : IntStream.of(supervisor.pid());
  }

  /** Lets go of all handles; the processes are not touched. */
  public synchronized void detach() {
    releaseChild();
    if (supervisor != null) {
      supervisor.close();
      supervisor = null;
    }
  }

  private void closeChildEnd() {
    if (childEnd != null) {
      childEnd.close();
      childEnd = null;
    }
  }

  private void releaseChild() {
    closeChildEnd();
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
