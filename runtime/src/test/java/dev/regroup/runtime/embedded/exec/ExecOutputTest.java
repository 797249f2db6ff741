package dev.regroup.runtime.embedded.exec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.runtime.ExecSession;
import dev.regroup.runtime.WindowSize;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a command wrote is kept, whenever it is read; what others hold open is not waited for. */
@Timeout(30)
class ExecOutputTest {

  private static final Duration SOON = Duration.ofSeconds(20);

  /** A pipe; the command that wrote to it has ended. */
  private static final class Pipe extends InputStream {
    private final byte[] content;
    private final CountDownLatch readers = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);
    private int looks;
    private int at;

    Pipe(String content) {
      this.content = content.getBytes(UTF_8);
    }

    /** The reader gets the processor when it was asked for three times whether all is read. */
    @Override
    public synchronized int available() {
      if (at == content.length) {
        return 0;
      }
      if (++looks == 3) {
        readers.countDown();
      }
      return 1;
    }

    @Override
    public void close() {
      readers.countDown();
      closed.countDown();
    }

    @Override
    public int read() {
      throw new UnsupportedOperationException();
    }

    @Override
    public int read(byte[] into, int offset, int length) throws InterruptedIOException {
      try {
        readers.await();
        synchronized (this) {
          if (at == 0 && content.length > 0) {
            System.arraycopy(content, 0, into, offset, content.length);
            at = content.length;
            return at;
          }
        }
        closed.await(); // a process it left holds the pipe
        return -1;
      } catch (InterruptedException e) {
        throw new InterruptedIOException();
      }
    }
  }

  private record Ended(InputStream stdout, InputStream stderr) implements ExecSession {
    @Override
    public OutputStream stdin() {
      return OutputStream.nullOutputStream();
    }

    @Override
    public void resize(WindowSize size) {}

    @Override
    public OptionalInt waitFor(Duration timeout) {
      return OptionalInt.of(1);
    }

    @Override
    public void close() {}
  }

  @Test
  void what_is_unread_when_the_command_ends_is_read() throws Exception {
    try (var pipe = new Pipe("no\n")) {
      var session = new Ended(pipe, InputStream.nullInputStream());

      var result = ExecOutput.collect(session, SOON, 100);

      assertThat(result.output()).isEqualTo("no\n");
      assertThat(result.exitCode()).isEqualTo(OptionalInt.of(1));
    }
  }

  @Test
  void a_pipe_that_stays_open_and_empty_is_left() throws Exception {
    try (var out = new Pipe("");
        var err = new Pipe("")) {
      assertThat(ExecOutput.collect(new Ended(out, err), SOON, 100).output()).isEmpty();
    }
  }
}
