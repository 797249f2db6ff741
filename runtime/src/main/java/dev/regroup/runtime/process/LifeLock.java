package dev.regroup.runtime.process;

import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.SyscallFailure;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file that is locked exactly as long as a process lives. The lock is taken before the process
 * starts and inherited by it, so there is no moment at which it lives without the lock; process
 * numbers that are used again and restarts of the machine cannot confuse it.
 */
public final class LifeLock {

  private LifeLock() {}

  /**
   * Takes the lock; hand the descriptor to the process, then close it here.
   *
   * @throws IllegalStateException if a process holds it
   */
  public static Fd take(Path file) throws SyscallFailure {
    Fd fd = Linux.open(file, Linux.O_RDWR | Linux.O_CREAT, 0600);
    try {
      if (Linux.tryLock(fd)) {
        return fd;
      }
    } catch (SyscallFailure e) {
      fd.close();
      throw e;
    }
    fd.close();
    throw new IllegalStateException(file + " is held by a running process");
  }

  /** Whether the process lives. */
  public static boolean held(Path file) throws SyscallFailure {
    if (!Files.exists(file)) {
      return false;
    }
    try (var fd = Linux.open(file, Linux.O_RDWR, 0)) {
      return !Linux.tryLock(fd);
    }
  }
}
