package dev.regroup.runtime.embedded.stream;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.regroup.runtime.linux.Epoll;
import dev.regroup.runtime.linux.Errno;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.Syscall;
import dev.regroup.runtime.linux.SyscallFailure;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** What comes out of a pipe or a terminal. One thread reads, any may close. */
public final class DescriptorInput extends InputStream {

  private static final int PIECE = 32 * 1024;

  private final DescriptorGate gate;

  /** Takes the descriptor over. */
  public DescriptorInput(Fd fd, Readiness readiness) throws SyscallFailure {
    this.gate = new DescriptorGate(fd, readiness);
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    int most = Math.min(length, PIECE);
    long count = gate.repeat(Epoll.READABLE, fd -> read(fd, into, offset, most));
    if (count == 0 || count == -Errno.EIO) { // a terminal nobody has open any more
      return -1;
    }
    if (count < 0) {
      throw new SyscallFailure("read", (int) -count);
    }
    return (int) count;
  }

  /** Memory outside of the heap is held only while something is read, not while nothing comes. */
  private static long read(int fd, byte[] into, int offset, int most) {
    try (var arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(most);
      long count = Linux.tryCall(Syscall.READ, fd, buffer.address(), most);
      if (count > 0) {
        MemorySegment.copy(buffer, JAVA_BYTE, 0, into, offset, (int) count);
      }
      return count;
    }
  }

  /** One if a read would not wait, for bytes or for the end. Any thread. */
  @Override
  public int available() throws IOException {
    return gate.isReadable() ? 1 : 0;
  }

  @Override
  public void close() {
    gate.close();
  }
}
