package dev.regroup.e2e;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.Syscall;
import dev.regroup.runtime.linux.SyscallFailure;
import dev.regroup.testing.VirtualTerminal;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A program in a terminal of its own, as somebody has it who sits in front of one: a real one of
 * the kernel, whose other end is a {@link VirtualTerminal}. A test waits for what is to be seen,
 * presses keys, changes the size, and may tear the terminal away.
 */
final class Terminal implements AutoCloseable {

  private static final long UNLOCK = 0x40045431; // TIOCSPTLCK
  private static final long GET_NUMBER = 0x80045430L; // TIOCGPTN
  private static final long SET_SIZE = 0x5414; // TIOCSWINSZ
  private static final long GET_MODE = 0x5401; // TCGETS
  private static final int MODE_BYTES = 36; // struct termios of the kernel

  private final Fd master;
  private final Fd wake;
  private final byte[] modeBefore;
  private final Process process;
  private final Thread reader;
  private final VirtualTerminal screen; // guarded by lock
  private final StringBuilder written = new StringBuilder(); // guarded by lock
  private boolean gone; // guarded by lock; nothing more will be written
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition more = lock.newCondition();

  private final CharsetDecoder decoder =
      StandardCharsets.UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPLACE)
          .onUnmappableCharacter(CodingErrorAction.REPLACE);

  private Terminal(
      Fd master,
      Path slave,
      int columns,
      int rows,
      Map<String, String> variables,
      List<String> line)
      throws IOException {
    this.master = master;
    this.wake = Linux.eventFd();
    this.screen = new VirtualTerminal(columns, rows);
    tell(columns, rows);
    this.modeBefore = mode();
    // The first terminal that a new session opens is its own.
    var command = new ArrayList<>(List.of("setsid", "env", "--default-signal=INT,HUP", "sh", "-c"));
    command.addAll(List.of("t=$1; shift; exec \"$@\" <$t >$t 2>&1", "sh", slave.toString()));
    command.addAll(line);
    var builder = new ProcessBuilder(command);
    builder.environment().put("TERM", "xterm-256color");
    builder
        .environment()
        .put("XDG_STATE_HOME", Path.of("target", "state").toAbsolutePath().toString());
    builder.environment().putAll(variables);
    this.process = builder.start();
    this.reader = Thread.ofPlatform().daemon().name("terminal").start(this::read);
    var _ = process.onExit().thenRun(this::wakeUp);
  }

  /** {@code regroup} with these arguments in a terminal of this size. */
  static Terminal start(
      int columns, int rows, Map<String, String> variables, List<String> arguments)
      throws IOException {
    Fd master = Linux.open(Path.of("/dev/ptmx"), Linux.O_RDWR | Linux.O_NOCTTY, 0);
    try (var arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocate(JAVA_INT);
      Linux.call(Syscall.IOCTL, master.number(), UNLOCK, number.address());
      Linux.call(Syscall.IOCTL, master.number(), GET_NUMBER, number.address());
      Path slave = Path.of("/dev/pts", "" + number.get(JAVA_INT, 0));
      return new Terminal(master, slave, columns, rows, variables, Program.line(arguments));
    }
  }

  /** Waits until the screen looks like this; returns it as it was then. */
  String await(Predicate<VirtualTerminal> wanted, Duration limit) throws InterruptedException {
    long left = limit.toNanos();
    lock.lock();
    try {
      while (!wanted.test(screen)) {
        if (left <= 0 || gone) {
          throw new AssertionError("it never looked like that; it is:\n" + screen.text());
        }
        left = more.awaitNanos(left);
      }
      return screen.text();
    } finally {
      lock.unlock();
    }
  }

  /** The same for what is to be read there. */
  String awaitText(Predicate<String> wanted, Duration limit) throws InterruptedException {
    return await(shown -> wanted.test(shown.text()), limit);
  }

  /** Asks the screen as it is now. */
  <T> T see(Function<VirtualTerminal, T> question) {
    lock.lock();
    try {
      return question.apply(screen);
    } finally {
      lock.unlock();
    }
  }

  /** All that was ever written to it. */
  String written() {
    lock.lock();
    try {
      return written.toString();
    } finally {
      lock.unlock();
    }
  }

  void press(String keys) throws SyscallFailure {
    Linux.write(master, keys.getBytes(StandardCharsets.UTF_8));
  }

  void resize(int columns, int rows) throws SyscallFailure {
    lock.lock();
    try {
      screen.resize(columns, rows);
    } finally {
      lock.unlock();
    }
    tell(columns, rows);
  }

  /** Whether keys, echo and line ends are handled as before the program began. */
  boolean isAsBefore() throws SyscallFailure {
    return Arrays.equals(mode(), modeBefore);
  }

  /** The window is closed: the program hears SIGHUP, and what it writes goes nowhere. */
  void tearAway() throws InterruptedException, SyscallFailure {
    stopReading();
    master.close();
  }

  /** Waits for the end and returns the exit code; all it wrote has been read by then. */
  int awaitExit(Duration limit) throws InterruptedException {
    if (!process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)) {
      throw new AssertionError("still running after " + limit + "; screen:\n" + seeText());
    }
    if (master.isOpen()) {
      reader.join(limit);
    }
    return process.exitValue();
  }

  ProcessHandle process() {
    return process.toHandle();
  }

  @Override
  public void close() throws InterruptedException, SyscallFailure {
    if (process.isAlive()) {
      process.destroy();
      if (!process.waitFor(20, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    }
    stopReading();
    master.close();
    wake.close();
  }

  private String seeText() {
    return see(VirtualTerminal::text);
  }

  private void stopReading() throws InterruptedException, SyscallFailure {
    if (reader.isAlive()) {
      lock.lock();
      try {
        gone = true;
      } finally {
        lock.unlock();
      }
      Linux.write(wake, ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(1).array());
      reader.join();
    }
  }

  private void read() {
    var bytes = ByteBuffer.allocate(1 << 16);
    var letters = CharBuffer.allocate(1 << 16);
    try {
      while (!isGone()) {
        Linux.awaitReadable(master, wake);
        if (isGone()) {
          return;
        }
        bytes.put(Linux.read(master, bytes.remaining())).flip();
        decoder.decode(bytes, letters, false);
        bytes.compact();
        show(letters.flip().toString());
        letters.clear();
      }
    } catch (SyscallFailure e) {
      return; // nobody has the other end any more
    } finally {
      lock.lock();
      gone = true;
      more.signalAll();
      lock.unlock();
    }
  }

  private boolean isGone() {
    lock.lock();
    try {
      return gone;
    } finally {
      lock.unlock();
    }
  }

  private void show(String text) {
    lock.lock();
    try {
      written.append(text);
      screen.take(text);
      more.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void wakeUp() {
    lock.lock();
    try {
      more.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void tell(int columns, int rows) throws SyscallFailure {
    try (var arena = Arena.ofConfined()) {
      MemorySegment size = arena.allocate(JAVA_SHORT, 4); // and pixels
      size.setAtIndex(JAVA_SHORT, 0, (short) rows);
      size.setAtIndex(JAVA_SHORT, 1, (short) columns);
      Linux.call(Syscall.IOCTL, master.number(), SET_SIZE, size.address());
    }
  }

  private byte[] mode() throws SyscallFailure {
    try (var arena = Arena.ofConfined()) {
      MemorySegment mode = arena.allocate(64);
      Linux.call(Syscall.IOCTL, master.number(), GET_MODE, mode.address());
      return mode.asSlice(0, MODE_BYTES).toArray(JAVA_BYTE);
    }
  }
}
