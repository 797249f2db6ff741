package dev.regroup.runtime.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * System calls, one method each. All of them block their thread; call them from platform threads.
 * What has no method of its own goes through {@link #call}.
 */
public final class Linux {

  public static final int CLONE_NEWNS = 0x00020000;
  public static final int CLONE_NEWUTS = 0x04000000;
  public static final int CLONE_NEWIPC = 0x08000000;
  public static final int CLONE_NEWPID = 0x20000000;
  public static final int CLONE_NEWNET = 0x40000000;

  public static final int AT_FDCWD = -100;

  public static final int O_RDONLY = 0;
  public static final int O_WRONLY = 1;
  public static final int O_RDWR = 2;
  public static final int O_CREAT = 0100;
  public static final int O_NOCTTY = 0400;
  public static final int O_APPEND = 02000;
  public static final int O_NONBLOCK = 04000;
  public static final int O_CLOEXEC = 02000000;
  public static final int O_PATH = 010000000;

  private static final int RESOLVE_NO_MAGICLINKS = 2;
  private static final int RESOLVE_BENEATH = 8;
  private static final int MFD_CLOEXEC = 1;
  private static final int LOCK_EX = 2;
  private static final int LOCK_NB = 4;
  private static final int AF_UNIX = 1;
  private static final int SOCK_SEQPACKET = 5;
  private static final int WNOHANG = 1;
  private static final int WEXITED = 4;
  private static final int P_PIDFD = 3;
  private static final int SIGKILL = 9;
  private static final short POLLIN = 1;
  private static final int F_DUPFD_CLOEXEC = 1030;
  private static final int F_SETFL = 4;
  private static final int SOL_SOCKET = 1;
  private static final int SO_RCVTIMEO = 20;
  private static final int RENAME_NOREPLACE = 1;
  private static final int SEEK_DATA = 3;
  private static final int FALLOC_FL_KEEP_SIZE = 1;
  private static final int FALLOC_FL_PUNCH_HOLE = 2;

  private Linux() {}

  /** Any call. Pointers are {@link MemorySegment#address()} of memory that outlives the call. */
  public static long call(Syscall call, long... arguments) throws SyscallFailure {
    long result = tryCall(call, arguments);
    if (result < 0) {
      throw new SyscallFailure(call.title(), (int) -result);
    }
    return result;
  }

  /** Like {@link #call}, but an error is returned as minus errno. */
  public static long tryCall(Syscall call, long... arguments) {
    if (arguments.length > 6) {
      throw new IllegalArgumentException(call.title() + ": more than 6 arguments");
    }
    long[] a = java.util.Arrays.copyOf(arguments, 6);
    return Native.syscall(call, a[0], a[1], a[2], a[3], a[4], a[5]);
  }

  public static Fd open(Path path, int flags, int mode) throws SyscallFailure {
    try (var arena = Arena.ofConfined()) {
      long result =
          tryCall(
              Syscall.OPENAT,
              AT_FDCWD,
              arena.allocateFrom(path.toString()).address(),
              (long) flags | O_CLOEXEC,
              mode);
      if (result < 0) {
        throw new SyscallFailure("open " + path, (int) -result);
      }
      return new Fd((int) result);
    }
  }

  /**
   * What lies there below the directory, not opened yet. The kernel walks the path: no link in it
   * leads out, whoever exchanges what meanwhile.
   */
  public static Fd locateBeneath(Fd directory, String path) throws SyscallFailure {
    try (var arena = Arena.ofConfined()) {
      long[] how = {O_PATH | O_CLOEXEC, 0, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
      long result =
          tryCall(
              Syscall.OPENAT2,
              directory.number(),
              arena.allocateFrom(path).address(),
              arena.allocateFrom(JAVA_LONG, how).address(),
              (long) how.length * Long.BYTES);
      if (result < 0) {
        throw new SyscallFailure("open " + path, (int) -result);
      }
      return new Fd((int) result);
    }
  }

  /**
   * The first offset from here on that is not in a hole; empty if only a hole or nothing follows.
   */
  public static OptionalLong nextData(Fd fd, long offset) throws SyscallFailure {
    long result = tryCall(Syscall.LSEEK, fd.number(), offset, SEEK_DATA);
    if (result == -Errno.ENXIO) {
      return OptionalLong.empty();
    }
    if (result < 0) {
      throw new SyscallFailure("lseek", (int) -result);
    }
    return OptionalLong.of(result);
  }

  /** Gives the space of these bytes back; they read as zeros, and the file's length stays. */
  public static void punchHole(Fd fd, long offset, long length) throws SyscallFailure {
    long mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    call(Syscall.FALLOCATE, fd.number(), mode, offset, length);
  }

  /** A descriptor that stays with this process, even if its number is used again. */
  public static Fd pidfdOpen(int pid) throws SyscallFailure {
    long result = tryCall(Syscall.PIDFD_OPEN, pid, 0); // close-on-exec by itself
    if (result < 0) {
      throw new SyscallFailure("pidfd_open(" + pid + ")", (int) -result);
    }
    return new Fd((int) result);
  }

  public static void pidfdSendSignal(Fd pidfd, int signal) throws SyscallFailure {
    call(Syscall.PIDFD_SEND_SIGNAL, pidfd.number(), signal, 0, 0);
  }

  /** Collects a child that has ended, without waiting; its wait status if there was one. */
  public static OptionalInt reap(int pid) {
    try (var arena = Arena.ofConfined()) {
      MemorySegment status = arena.allocate(JAVA_INT);
      long result = tryCall(Syscall.WAIT4, pid, status.address(), WNOHANG, 0);
      return result == pid ? OptionalInt.of(status.get(JAVA_INT, 0)) : OptionalInt.empty();
    }
  }

  /**
   * Collects exactly this process if it is a child of ours that has ended; else nothing happens, so
   * it may be asked for twice and for the processes of others.
   */
  public static void reap(Fd pidfd) {
    tryCall(Syscall.WAITID, P_PIDFD, pidfd.number(), 0, WEXITED | WNOHANG, 0);
  }

  /** Waits for a child and collects it. */
  public static OptionalInt reapWaiting(int pid) {
    try (var arena = Arena.ofConfined()) {
      MemorySegment status = arena.allocate(JAVA_INT);
      long result;
      do {
        result = tryCall(Syscall.WAIT4, pid, status.address(), 0, 0);
      } while (result == -Errno.EINTR);
      return result == pid ? OptionalInt.of(status.get(JAVA_INT, 0)) : OptionalInt.empty();
    }
  }

  /** SIGKILL; nothing if it has ended. */
  public static void tryKill(Fd pidfd) {
    tryCall(Syscall.PIDFD_SEND_SIGNAL, pidfd.number(), SIGKILL, 0, 0);
  }

  /** SIGKILL for a child of ours that was not reaped yet, so its number cannot be another's. */
  public static void kill(int child) {
    tryCall(Syscall.KILL, child, SIGKILL);
  }

  /** Moves the calling thread into namespaces; the thread is good for nothing else afterwards. */
  public static void setns(Fd fd, int namespaces) throws SyscallFailure {
    call(Syscall.SETNS, fd.number(), namespaces);
  }

  public static void unshare(int namespaces) throws SyscallFailure {
    call(Syscall.UNSHARE, namespaces);
  }

  /** A descriptor of our own for an open file of another process. */
  public static Fd copyFrom(Fd pidfd, int number) throws SyscallFailure {
    return new Fd((int) call(Syscall.PIDFD_GETFD, pidfd.number(), number, 0)); // close-on-exec
  }

  /** Another descriptor for the same open file. */
  public static Fd duplicate(Fd fd) throws SyscallFailure {
    return new Fd((int) call(Syscall.FCNTL, fd.number(), F_DUPFD_CLOEXEC, 0));
  }

  /** From now on calls with this open file fail with EAGAIN instead of waiting. */
  public static void neverWait(Fd fd) throws SyscallFailure {
    call(Syscall.FCNTL, fd.number(), F_SETFL, O_NONBLOCK);
  }

  /** Another number for the same open file, greater than the given one. */
  static Fd duplicateAbove(int fd, int number) throws SyscallFailure {
    return new Fd((int) call(Syscall.FCNTL, fd, F_DUPFD_CLOEXEC, number + 1L));
  }

  /** An anonymous file in memory with this content, at its beginning. */
  public static Fd memoryFile(String name, byte[] content) throws SyscallFailure {
    try (var arena = Arena.ofConfined()) {
      var fd =
          new Fd((int) call(Syscall.MEMFD_CREATE, arena.allocateFrom(name).address(), MFD_CLOEXEC));
      try {
        writeAt(fd, content, 0);
        return fd;
      } catch (SyscallFailure e) {
        fd.close();
        throw e;
      }
    }
  }

  /** Writes all of it at this place of a file. */
  public static void writeAt(Fd fd, byte[] content, long offset) throws SyscallFailure {
    try (var arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocateFrom(JAVA_BYTE, content);
      long done = 0;
      while (done < content.length) {
        done +=
            call(
                Syscall.PWRITE64,
                fd.number(),
                bytes.address() + done,
                content.length - done,
                offset + done);
      }
    }
  }

  /** Two connected sockets that keep message borders. */
  public static Fd[] socketPair() throws SyscallFailure {
    try (var arena = Arena.ofConfined()) {
      MemorySegment pair = arena.allocate(JAVA_INT, 2);
      call(Syscall.SOCKETPAIR, AF_UNIX, SOCK_SEQPACKET | O_CLOEXEC, 0, pair.address());
      return new Fd[] {new Fd(pair.getAtIndex(JAVA_INT, 0)), new Fd(pair.getAtIndex(JAVA_INT, 1))};
    }
  }

  /** Lets a read of this socket fail with EAGAIN after so long. */
  public static void receiveTimeout(Fd socket, Duration patience) throws SyscallFailure {
    try (var arena = Arena.ofConfined()) {
      MemorySegment time = arena.allocate(JAVA_LONG, 2);
      time.setAtIndex(JAVA_LONG, 0, patience.toSeconds());
      time.setAtIndex(JAVA_LONG, 1, patience.toNanosPart() / 1000);
      call(Syscall.SETSOCKOPT, socket.number(), SOL_SOCKET, SO_RCVTIMEO, time.address(), 16);
    }
  }

  /** Gives it another name, which must be free: EEXIST if it is not. */
  public static void renameToFree(Path from, Path to) throws SyscallFailure {
    try (var arena = Arena.ofConfined()) {
      long result =
          tryCall(
              Syscall.RENAMEAT2,
              AT_FDCWD,
              arena.allocateFrom(from.toString()).address(),
              AT_FDCWD,
              arena.allocateFrom(to.toString()).address(),
              RENAME_NOREPLACE);
      if (result < 0) {
        throw new SyscallFailure("rename %s to %s".formatted(from, to), (int) -result);
      }
    }
  }

  /** Reading end, writing end. */
  public static Fd[] pipe() throws SyscallFailure {
    try (var arena = Arena.ofConfined()) {
      MemorySegment pair = arena.allocate(JAVA_INT, 2);
      call(Syscall.PIPE2, pair.address(), O_CLOEXEC);
      return new Fd[] {new Fd(pair.getAtIndex(JAVA_INT, 0)), new Fd(pair.getAtIndex(JAVA_INT, 1))};
    }
  }

  /**
   * Takes the lock of an open file without waiting. It belongs to the open file, so a child that
   * inherits the descriptor holds it too, until the last copy is closed.
   */
  public static boolean tryLock(Fd fd) throws SyscallFailure {
    long result = tryCall(Syscall.FLOCK, fd.number(), LOCK_EX | LOCK_NB);
    if (result == -Errno.EAGAIN) {
      return false;
    }
    if (result < 0) {
      throw new SyscallFailure("flock", (int) -result);
    }
    return true;
  }

  /** Waits until the descriptor is readable or the time is over; whether it is. */
  public static boolean awaitReadable(Fd fd, Duration patience) throws SyscallFailure {
    try (var arena = Arena.ofConfined()) {
      MemorySegment poll = arena.allocate(8, 4);
      poll.set(JAVA_INT, 0, fd.number());
      poll.set(JAVA_SHORT, 4, POLLIN);
      MemorySegment time = arena.allocate(JAVA_LONG, 2);
      time.setAtIndex(JAVA_LONG, 0, patience.toSeconds());
      time.setAtIndex(JAVA_LONG, 1, patience.toNanosPart());
      long result = tryCall(Syscall.PPOLL, poll.address(), 1, time.address(), 0, 8);
      if (result < 0 && result != -Errno.EINTR) {
        throw new SyscallFailure("ppoll", (int) -result);
      }
      return result > 0;
    }
  }

  /** Waits without limit until one of the two is readable, or a signal comes. */
  public static void awaitReadable(Fd one, Fd other) throws SyscallFailure {
    try (var arena = Arena.ofConfined()) {
      MemorySegment polls = arena.allocate(16, 4);
      polls.set(JAVA_INT, 0, one.number());
      polls.set(JAVA_SHORT, 4, POLLIN);
      polls.set(JAVA_INT, 8, other.number());
      polls.set(JAVA_SHORT, 12, POLLIN);
      long result = tryCall(Syscall.PPOLL, polls.address(), 2, 0, 0, 8);
      if (result < 0 && result != -Errno.EINTR) {
        throw new SyscallFailure("ppoll", (int) -result);
      }
    }
  }

  /** A counter that wakes whoever waits for it to be readable. */
  public static Fd eventFd() throws SyscallFailure {
    return new Fd((int) call(Syscall.EVENTFD2, 0, O_CLOEXEC | O_NONBLOCK));
  }

  /** One read of at most so many bytes; empty at the end. */
  public static byte[] read(Fd fd, int limit) throws SyscallFailure {
    try (var arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(Math.max(1, limit));
      long length = call(Syscall.READ, fd.number(), buffer.address(), limit);
      return buffer.asSlice(0, length).toArray(JAVA_BYTE);
    }
  }

  /** Writes all of it. */
  public static void write(Fd fd, byte[] content) throws SyscallFailure {
    try (var arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocateFrom(JAVA_BYTE, content);
      long done = 0;
      while (done < content.length) {
        done += call(Syscall.WRITE, fd.number(), bytes.address() + done, content.length - done);
      }
    }
  }
}
