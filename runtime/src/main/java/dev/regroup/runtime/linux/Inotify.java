package dev.regroup.runtime.linux;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Tells when files change. Watching is safe from any thread, reading is for one. */
public final class Inotify implements AutoCloseable {

  public static final int MODIFY = 0x2;

  /** A file that was open for writing was closed, if only because its process died. */
  public static final int CLOSE_WRITE = 0x8;

  /** So many changes came that some were not told: look at everything. */
  public static final int OVERFLOW = -1;

  private static final int HEADER_BYTES = 16;
  private static final int Q_OVERFLOW = 0x4000;
  private static final int IGNORED = 0x8000;

  private final Fd fd;

  public Inotify() throws SyscallFailure {
    fd = new Fd((int) Linux.call(Syscall.INOTIFY_INIT1, Linux.O_CLOEXEC | Linux.O_NONBLOCK));
  }

  /** For waiting together with others. */
  public Fd fd() {
    return fd;
  }

  /** Watches a file or the files right in a directory; the number names it in {@link #read}. */
  public int watch(Path path, int mask) throws SyscallFailure {
    try (var arena = Arena.ofConfined()) {
      long result =
          Linux.tryCall(
              Syscall.INOTIFY_ADD_WATCH,
              fd.number(),
              arena.allocateFrom(path.toString()).address(),
              mask);
      if (result < 0) {
        throw new SyscallFailure("inotify_add_watch " + path, (int) -result);
      }
      return (int) result;
    }
  }

  /** A watch whose file is gone is gone by itself. */
  public void forget(int watch) {
    Linux.tryCall(Syscall.INOTIFY_RM_WATCH, fd.number(), watch);
  }

  /** The watches that saw something, without waiting; may repeat, may hold {@link #OVERFLOW}. */
  public List<Integer> read() throws SyscallFailure {
    byte[] bytes;
    try {
      bytes = Linux.read(fd, 64 * 1024);
    } catch (SyscallFailure e) {
      if (e.errno() == Errno.EAGAIN || e.errno() == Errno.EINTR) {
        return List.of();
      }
      throw e;
    }
    var watches = new ArrayList<Integer>();
    var buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    while (buffer.remaining() >= HEADER_BYTES) {
      int watch = buffer.getInt();
      int mask = buffer.getInt();
      buffer.getInt(); // cookie of renames
      int name = buffer.getInt();
      buffer.position(buffer.position() + name);
      if ((mask & Q_OVERFLOW) != 0) {
        watches.add(OVERFLOW);
      } else if ((mask & IGNORED) == 0) {
        watches.add(watch);
      }
    }
    return watches;
  }

  @Override
  public void close() {
    fd.close();
  }
}
