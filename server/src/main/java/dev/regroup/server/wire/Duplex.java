package dev.regroup.server.wire;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * One end of a two-way stream of bytes. One thread reads and one writes, side by side; {@link
 * #close} may be called by any. Either side may end what it says and go on listening.
 */
public interface Duplex extends AutoCloseable {

  /**
   * Waits for bytes of the other side; returns null when it has ended what it says.
   *
   * @throws IOException when the other side has gone without a word, or this end is closed
   */
  byte @Nullable [] read() throws IOException, InterruptedException;

  /** Returns when the bytes are on their way; waits while the other side is slow. */
  void write(byte[] bytes) throws IOException, InterruptedException;

  /** Ends what this side says; it may go on listening. */
  void endOutput() throws IOException;

  /** Ends both directions at once, and wakes whoever waits. */
  @Override
  void close();
}
