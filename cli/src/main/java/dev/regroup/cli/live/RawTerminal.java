package dev.regroup.cli.live;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.Syscall;
import dev.regroup.runtime.linux.SyscallFailure;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The terminal this program was started from: hands out keys as they are pressed, shows whole
 * frames on a page of its own, and is what it was before when closed. Ctrl-C stays a signal, Ctrl-Z
 * does nothing.
 */
final class RawTerminal implements AutoCloseable {

  /** Columns and rows. */
  record Size(int columns, int rows) {}

  private static final Path TTY = Path.of("/dev/tty");
  private static final int GET_MODE = 0x5401; // TCGETS
  private static final int SET_MODE = 0x5403; // TCSETSW: after what was written is out
  private static final int GET_SIZE = 0x5413; // TIOCGWINSZ

  private static final int MODE_BYTES = 64; // more than any kernel's struct termios
  private static final int LOCAL_FLAGS = 12; // offset of c_lflag
  private static final int CANONICAL = 2; // ICANON: lines instead of keys
  private static final int ECHO = 8;
  private static final int STOP_KEY = 17 + 10; // offset of c_cc, and VSUSP in it

  private static final String ENTER = "\u001b[?1049h\u001b[?25l\u001b[2J"; // own page, no cursor
  private static final String LEAVE = "\u001b[0m\u001b[?25h\u001b[?1049l";

  private final Fd fd;
  private final Fd wake;
  private final OutputStream out;
  private final byte[] before; // its mode
  private boolean closed; // guarded by this

  private RawTerminal(Fd fd, Fd wake, OutputStream out, byte[] before) {
    this.fd = fd;
    this.wake = wake;
    this.out = out;
    this.before = before;
  }

  /** Empty where there is none, or where it cannot be used like this. */
  static Optional<RawTerminal> open() {
    if (System.getenv().getOrDefault("TERM", "dumb").equals("dumb")) {
      return Optional.empty();
    }
    Fd fd = null;
    try {
      fd = Linux.open(TTY, Linux.O_RDWR | Linux.O_NOCTTY | Linux.O_CLOEXEC, 0);
      byte[] before = mode(fd);
      var terminal =
          new RawTerminal(fd, Linux.eventFd(), new FileOutputStream(TTY.toFile()), before);
      terminal.setMode(raw(before));
      terminal.write(ENTER);
      return Optional.of(terminal);
    } catch (IOException e) {
      if (fd != null) {
        fd.close();
      }
      return Optional.empty();
    }
  }

  /** Whether this program has one, which is more than that its streams lead to some terminal. */
  static boolean isThere() {
    try (var fd = Linux.open(TTY, Linux.O_RDWR | Linux.O_NOCTTY | Linux.O_CLOEXEC, 0)) {
      return mode(fd).length > 0;
    } catch (SyscallFailure e) {
      return false;
    }
  }

  Size size() {
    try (var arena = Arena.ofConfined()) {
      MemorySegment size = arena.allocate(JAVA_SHORT, 4); // rows, columns, and pixels
      Linux.call(Syscall.IOCTL, fd.number(), GET_SIZE, size.address());
      int rows = Short.toUnsignedInt(size.getAtIndex(JAVA_SHORT, 0));
      int columns = Short.toUnsignedInt(size.getAtIndex(JAVA_SHORT, 1));
      return rows == 0 || columns == 0 ? new Size(80, 24) : new Size(columns, rows);
    } catch (SyscallFailure e) {
      return new Size(80, 24);
    }
  }

  /** One write, whatever it holds: nothing is seen half drawn. */
  synchronized void write(String text) throws IOException {
    if (!closed) {
      out.write(text.getBytes(UTF_8));
      out.flush();
    }
  }

  /** Waits for keys; empty when the terminal was closed. */
  byte[] keys() throws IOException {
    Linux.awaitReadable(fd, wake);
    synchronized (this) {
      return closed ? new byte[0] : Linux.read(fd, 64);
    }
  }

  /** As it was. Any thread; more than once does no harm. */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      try {
        out.write(LEAVE.getBytes(UTF_8));
        out.flush();
        setMode(before);
      } catch (IOException e) {
        // The terminal is gone, and with it what could be put right.
      }
      closed = true;
    }
    wakeUp();
  }

  private void wakeUp() {
    try {
      Linux.write(wake, ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(1).array());
    } catch (SyscallFailure e) {
      throw new IllegalStateException("cannot wake who waits for keys", e);
    }
  }

  private static byte[] mode(Fd fd) throws SyscallFailure {
    try (var arena = Arena.ofConfined()) {
      MemorySegment mode = arena.allocate(MODE_BYTES);
      Linux.call(Syscall.IOCTL, fd.number(), GET_MODE, mode.address());
      return mode.toArray(JAVA_BYTE);
    }
  }

  private void setMode(byte[] wanted) throws SyscallFailure {
    try (var arena = Arena.ofConfined()) {
      MemorySegment mode = arena.allocateFrom(JAVA_BYTE, wanted);
      Linux.call(Syscall.IOCTL, fd.number(), SET_MODE, mode.address());
    }
  }

  private static byte[] raw(byte[] mode) {
    byte[] raw = mode.clone();
    var bytes = ByteBuffer.wrap(raw).order(ByteOrder.nativeOrder());
    int flags = bytes.getInt(LOCAL_FLAGS);
    bytes.putInt(LOCAL_FLAGS, flags & ~(CANONICAL | ECHO));
    bytes.put(STOP_KEY, (byte) 0); // Ctrl-Z would leave this page, and a cluster without its parts
    return raw;
  }
}
