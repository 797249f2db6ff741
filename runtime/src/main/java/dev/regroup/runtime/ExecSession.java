package dev.regroup.runtime;

import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.OptionalInt;

/**
 * A program running inside a container beside its command. Closing ends it. The streams may be read
 * and written from any thread; each ends when the program closes its side.
 */
public interface ExecSession extends AutoCloseable {

  /** Closed at once unless the request asked for standard input. */
  OutputStream stdin();

  InputStream stdout();

  InputStream stderr();

  /** Exit code, 128 + n for signal n; empty if it did not end in time. */
  OptionalInt waitFor(Duration timeout) throws InterruptedException;

  /** Kills the program if it still runs and releases the streams. */
  @Override
  void close();
}
