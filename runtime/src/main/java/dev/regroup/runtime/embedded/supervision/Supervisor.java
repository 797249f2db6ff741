package dev.regroup.runtime.embedded.supervision;

import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.Signal;
import dev.regroup.runtime.embedded.files.Layout;
import dev.regroup.runtime.embedded.files.StateFile;
import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Inotify;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.SyscallFailure;
import dev.regroup.runtime.process.LifeLock;
import dev.regroup.runtime.process.ProcessList;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A running tape that holds a sandbox or is a container's parent: own or adopted, it is watched the
 * same way. Ends itself when the process has ended.
 */
public final class Supervisor {

  private static final Duration LONGEST_SETUP = Duration.ofSeconds(30);

  private final int pid;
  private final Fd pidfd;
  private final CountDownLatch over = new CountDownLatch(1);
  private Exits.@Nullable Watch watch;

  private Supervisor(int pid, Fd pidfd) {
    this.pid = pid;
    this.pidfd = pidfd;
  }

  public int pid() {
    return pid;
  }

  /** For calls that name the process; do not close it. */
  public Fd pidfd() {
    return pidfd;
  }

  /** Opens the process if it is the one: alive, and started with these arguments. */
  public static Optional<Supervisor> find(int pid, List<String> argv) throws SyscallFailure {
    Fd pidfd;
    try {
      pidfd = Linux.pidfdOpen(pid);
    } catch (SyscallFailure e) {
      return gone(e);
    }
    if (!ProcessList.runs(pid, argv)) { // checked after opening: the number cannot change hands now
      pidfd.close();
      return Optional.empty();
    }
    return Optional.of(new Supervisor(pid, pidfd));
  }

  /** There is no such process; that there are no descriptors left says nothing about it. */
  public static <T> Optional<T> gone(SyscallFailure failure) throws SyscallFailure {
    if (failure.errno() == Errno.ESRCH || failure.errno() == Errno.EINVAL) { // or a thread's number
      return Optional.empty();
    }
    throw failure;
  }

  /** Calls back once the process has ended and was collected. */
  public synchronized void watch(Exits exits, Runnable ended) throws SyscallFailure {
    watch =
        exits.process(
            pidfd,
            () -> {
              if (pidfd.isOpen()) { // else what follows failed, and is tried again
                Linux.reap(pidfd); // adopted by a program that is its parent all the same
                close();
              }
              ended.run();
              over.countDown();
            });
  }

  /** Waits until it has ended and the callback has run. */
  public void awaitEnd() throws InterruptedException, RuntimeFailure {
    if (!over.await(LONGEST_SETUP.toSeconds(), TimeUnit.SECONDS)) {
      throw new RuntimeFailure(
          RuntimeFailure.Kind.TIMED_OUT, "process " + pid + " does not end after SIGKILL");
    }
  }

  /** SIGKILL; nothing if it has ended. */
  public synchronized void kill() throws SyscallFailure {
    if (pidfd.isOpen()) {
      SignalSender.send(pidfd, Signal.SIGKILL);
    }
  }

  /** SIGCONT, in case somebody has stopped it; nothing if it has ended. */
  public synchronized void goOn() throws SyscallFailure {
    if (pidfd.isOpen()) {
      SignalSender.send(pidfd, Signal.SIGCONT);
    }
  }

  public synchronized void close() {
    if (watch != null) {
      watch.close();
    }
    pidfd.close();
  }

  /**
   * Waits until a tape that an earlier run of this program started has left its setup: noted what
   * it started, or failed, or ended. One that hangs is ended: nobody would ever know it.
   */
  public static void awaitSetup(
      Path directory, List<String> argv, Predicate<StateFile.Start> complete) throws IOException {
    if (!leavesSetup(directory, complete)) {
      for (int pid : ProcessList.running(argv)) {
        find(pid, argv).ifPresent(Supervisor::end);
      }
      if (!leavesSetup(directory, complete)) {
        throw new IOException("the process being started in " + directory + " does not go on");
      }
    }
  }

  private static boolean leavesSetup(Path directory, Predicate<StateFile.Start> complete)
      throws IOException {
    long deadline = System.nanoTime() + LONGEST_SETUP.toNanos();
    try (var inotify = new Inotify()) {
      inotify.watch(directory, Inotify.MODIFY | Inotify.CLOSE_WRITE);
      while (LifeLock.held(directory.resolve(Layout.LOCK))
          && StateFile.start(directory.resolve(Layout.START)).filter(complete).isEmpty()) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        Linux.awaitReadable(inotify.fd(), Duration.ofNanos(left));
        inotify.read();
      }
      return true;
    }
  }

  private void end() {
    try (pidfd) {
      SignalSender.send(pidfd, Signal.SIGKILL);
    } catch (SyscallFailure e) {
      throw new IllegalStateException("cannot end process " + pid, e);
    }
  }
}
