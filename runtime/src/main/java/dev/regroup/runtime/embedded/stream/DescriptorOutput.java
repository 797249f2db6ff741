package dev.regroup.runtime.embedded.stream;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.regroup.runtime.linux.Epoll;
import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.Syscall;
import dev.regroup.runtime.linux.SyscallFailure;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** What goes into a pipe or a terminal, unbuffered. One thread writes, any may close. */
public final class DescriptorOutput extends OutputStream {

  private static final int PIECE = 32 * 1024;

  private final DescriptorGate gate;

  /** Takes the descriptor over. */
  public DescriptorOutput(Fd fd, Readiness readiness) throws SyscallFailure {
    this.gate = new DescriptorGate(fd, readiness);
  }

  @Override
  public void write(int one) throws IOException {
    write(new byte[] {(byte) one}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    int done = 0;
    while (done < length) {
      int from = offset + done;
      int piece = Math.min(length - done, PIECE);
      long count = gate.repeat(Epoll.WRITABLE, fd -> write(fd, bytes, from, piece));
      if (count < 0) {
        throw new SyscallFailure("write", (int) -count);
      }
      done += (int) count;
    }
  }

  private static long write(int fd, byte[] bytes, int from, int piece) {
    try (var arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(piece);
      MemorySegment.copy(bytes, from, buffer, JAVA_BYTE, 0, piece);
      return Linux.tryCall(Syscall.WRITE, fd, buffer.address(), piece);
    }
  }

  @Override
  public void close() {
    gate.close();
  }
}
