package dev.regroup.runtime.embedded.exec;

import dev.regroup.runtime.ExecResult;
import dev.regroup.runtime.ExecSession;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.OptionalInt;

/**
 * Waits for a command and keeps the beginning of what it writes. The rest is read and dropped, so
 * that the command never blocks on a full pipe.
 */
public final class ExecOutput {

  /** What the command wrote is there when it has ended; a process it left may hold the pipe. */
  private static final Duration LAST_BYTES = Duration.ofMillis(100);

  /** On a busy machine it may be there and not be read yet. */
  private static final Duration UNREAD = Duration.ofSeconds(5);

  private ExecOutput() {}

  public static ExecResult collect(ExecSession session, Duration timeout, int limit)
      throws InterruptedException {
    var out = new Reader(session.stdout(), limit);
    var err = new Reader(session.stderr(), limit);
    OptionalInt code = session.waitFor(timeout);
    if (code.isEmpty()) {
      session.close();
    }
    out.awaitLast();
    err.awaitLast();
    String text = out.text() + err.text();
    return new ExecResult(code, text.length() > limit ? text.substring(0, limit) : text);
  }

  private static final class Reader {
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private final InputStream stream;
    private final Thread thread;

    Reader(InputStream stream, int limit) {
      this.stream = stream;
      thread = Thread.ofVirtual().name("exec-output").start(() -> read(stream, limit));
    }

    private void read(InputStream stream, int limit) {
      byte[] buffer = new byte[8192];
      try {
        for (int count = stream.read(buffer); count >= 0; count = stream.read(buffer)) {
          synchronized (kept) {
            kept.write(buffer, 0, Math.min(count, limit - Math.min(limit, kept.size())));
          }
        }
      } catch (IOException e) {
        return; // closed because the time was over
      }
    }

    /** Until the end, or until nothing is unread. */
    void awaitLast() throws InterruptedException {
      long deadline = System.nanoTime() + UNREAD.toNanos();
      while (!thread.join(LAST_BYTES) && hasUnread() && System.nanoTime() < deadline) {}
    }

    private boolean hasUnread() {
      try {
        return stream.available() > 0;
      } catch (IOException e) {
        return false; // closed because the time was over
      }
    }

    String text() {
      synchronized (kept) {
        return kept.toString(StandardCharsets.UTF_8);
      }
    }
  }
}
