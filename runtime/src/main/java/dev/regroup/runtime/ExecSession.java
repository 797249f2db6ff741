package dev.regroup.runtime;

import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.OptionalInt;

/**
 * The streams of a program in a container: of one that runs beside its command, which closing ends,
 * or of the command itself, which goes on. They may be read and written from any thread, virtual
 * ones included: who waits holds none of the kernel's. Each ends when the program closes its side.
 */
public interface ExecSession extends AutoCloseable {

  /** Closed at once unless the request asked for standard input. */
  OutputStream stdin();

  InputStream stdout();

  /** Empty for a program at a terminal. */
  InputStream stderr();

  /** Tells the program how much its terminal shows; nothing happens if it has none. */
  void resize(WindowSize size);

  /** Exit code, 128 + n for signal n; empty if it did not end in time or the session is closed. */
  OptionalInt waitFor(Duration timeout) throws InterruptedException;

  /** Releases the streams and, if it was started for this session, kills the program. */
  @Override
  void close();
}
