package dev.regroup.server.talk;

import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.OptionalInt;

/**
 * Port: the streams of a command in a container. They may be used by any thread; {@link #close} may
 * come at any time and wakes whoever waits.
 */
public interface CommandStreams extends AutoCloseable {

  /** Closing says that nothing more comes. */
  OutputStream stdin();

  InputStream stdout();

  InputStream stderr();

  /** How much the client's terminal shows; nothing happens if the command has none. */
  void resize(int columns, int rows);

  /** Its exit code; empty if it did not end in time, or at once if the streams were closed. */
  OptionalInt waitFor(Duration timeout) throws InterruptedException;

  /** The client is gone, or the command: a command that was started for it is killed. */
  @Override
  void close();
}
