package dev.regroup.runtime.embedded.stream;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.regroup.runtime.WindowSize;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.Syscall;
import dev.regroup.runtime.linux.SyscallFailure;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * Both ends of a terminal: a program has the one, we hold the other. Whoever takes an end closes
 * it.
 */
public record PseudoTerminal(Fd ours, Fd program) {

  private static final int SET_LOCK = 0x40045431; // TIOCSPTLCK
  private static final int OPEN_PEER = 0x5441; // TIOCGPTPEER
  private static final int SET_SIZE = 0x5414; // TIOCSWINSZ

  /**
   * Opens one of those a process sees in its /dev/pts, so that it finds its own there, too. The
   * path leads through mounts only, which a container without all rights cannot change.
   */
  public static PseudoTerminal in(int pid) throws SyscallFailure {
    var path = Path.of("/proc/" + pid + "/root/dev/pts/ptmx");
    Fd ours = Linux.open(path, Linux.O_RDWR | Linux.O_NOCTTY, 0);
    try (var arena = Arena.ofConfined()) {
      MemorySegment open = arena.allocate(JAVA_INT);
      Linux.call(Syscall.IOCTL, ours.number(), SET_LOCK, open.address());
      long flags = (long) Linux.O_RDWR | Linux.O_NOCTTY | Linux.O_CLOEXEC;
      return new PseudoTerminal(
          ours, new Fd((int) Linux.call(Syscall.IOCTL, ours.number(), OPEN_PEER, flags)));
    } catch (SyscallFailure e) {
      ours.close();
      throw e;
    }
  }

  /** Its program gets SIGWINCH; nothing happens if it has ended. */
  public static void resize(Fd ours, WindowSize size) {
    try (var arena = Arena.ofConfined()) {
      MemorySegment both = arena.allocate(JAVA_SHORT, 4); // rows, columns, and pixels
      both.setAtIndex(JAVA_SHORT, 0, (short) size.rows());
      both.setAtIndex(JAVA_SHORT, 1, (short) size.columns());
      Linux.tryCall(Syscall.IOCTL, ours.number(), SET_SIZE, both.address());
    }
  }
}
