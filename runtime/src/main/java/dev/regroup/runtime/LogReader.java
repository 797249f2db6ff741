package dev.regroup.runtime;

import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/**
 * Reads the log of one run, line by line, in the order written. For one thread, which may be a
 * virtual one.
 */
public interface LogReader extends AutoCloseable {

  /**
   * A line without its newline.
   *
   * @param time when it was seen; lines written in one burst share it
   * @param terminated whether a newline followed; else it is the last line, or a piece of one that
   *     goes on: a very long one, or, when following, one that is redrawn
   */
  record Line(Instant time, byte[] bytes, boolean terminated) {}

  /**
   * The next line; when following, waits for it. Empty at the end: of what was there, or, when
   * following, after the container ended. Who is slower than the log rotates misses lines, never
   * parts of a line.
   */
  Optional<Line> next() throws IOException, InterruptedException;

  /** Whether {@link #next} has a whole line at hand, without reading or waiting. */
  boolean ready();

  @Override
  void close();
}
