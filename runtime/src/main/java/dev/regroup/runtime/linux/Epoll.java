package dev.regroup.runtime.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/** Waits for many descriptors at once. Adding is safe from any thread, waiting is for one. */
public final class Epoll implements AutoCloseable {

  public static final int READABLE = 1;
  public static final int WRITABLE = 4;
  private static final int ONCE = 1 << 30;
  private static final int ADD = 1;
  private static final int DELETE = 2;
  private static final int CHANGE = 3;

  /** x86-64 packs the structure: 4 bytes of events, then 8 of data. Others align the data to 8. */
  private static final boolean PACKED = Architecture.current() == Architecture.X86_64;

  private static final int DATA_AT = PACKED ? 4 : 8;
  private static final int EVENT_BYTES = PACKED ? 12 : 16;
  private static final int BATCH = 64;

  private final Fd fd;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment events = arena.allocate((long) EVENT_BYTES * BATCH, 8);

  public Epoll() throws SyscallFailure {
    fd = new Fd((int) Linux.call(Syscall.EPOLL_CREATE1, Linux.O_CLOEXEC));
  }

  /** From now on {@link #await} reports the token when the descriptor is readable. */
  public void add(Fd watched, long token) throws SyscallFailure {
    control(ADD, watched, READABLE, token);
  }

  /** Knows the descriptor and reports nothing before {@link #arm}. */
  public void addSilent(Fd watched, long token) throws SyscallFailure {
    control(ADD, watched, ONCE, token);
  }

  /** Reports the token once, when one of these events is there. */
  public void arm(Fd watched, long token, int events) throws SyscallFailure {
    control(CHANGE, watched, events | ONCE, token);
  }

  private void control(int what, Fd watched, int events, long token) throws SyscallFailure {
    try (var local = Arena.ofConfined()) {
      MemorySegment event = local.allocate(EVENT_BYTES, 8);
      event.set(JAVA_INT_UNALIGNED, 0, events);
      event.set(JAVA_LONG_UNALIGNED, DATA_AT, token);
      Linux.call(Syscall.EPOLL_CTL, fd.number(), what, watched.number(), event.address());
    }
  }

  /** Must come before the descriptor is closed; a copy elsewhere would keep it watched. */
  public void remove(Fd watched) {
    Linux.tryCall(Syscall.EPOLL_CTL, fd.number(), DELETE, watched.number(), 0);
  }

  /** Waits without limit; the tokens of what is ready, empty if a signal came. */
  public long[] await() throws SyscallFailure {
    return await(-1L);
  }

  /** Waits so long at most. */
  public long[] await(Duration patience) throws SyscallFailure {
    return await(patience.toMillis());
  }

  private long[] await(long millis) throws SyscallFailure {
    long count =
        Linux.tryCall(Syscall.EPOLL_PWAIT, fd.number(), events.address(), BATCH, millis, 0, 8);
    if (count == -Errno.EINTR) {
      return new long[0];
    }
    if (count < 0) {
      throw new SyscallFailure("epoll_pwait", (int) -count);
    }
    long[] tokens = new long[(int) count];
    for (int i = 0; i < count; i++) {
      tokens[i] = events.get(JAVA_LONG_UNALIGNED, (long) i * EVENT_BYTES + DATA_AT);
    }
    return tokens;
  }

  /** Only after the waiting thread has ended. */
  @Override
  public void close() {
    fd.close();
    arena.close();
  }
}
