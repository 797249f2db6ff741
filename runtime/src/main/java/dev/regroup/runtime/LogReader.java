package dev.regroup.runtime;

import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/**
 * Reads the log of one attempt, line by line, in the order written. For one thread, which may be a
 * virtual one.
 */
public interface LogReader extends AutoCloseable {

  /**
   * A line without its newline.
   *
   * @param time when it was seen; lines written in one burst share it
   * @param terminated whether a newline followed; only the last line may lack it
   */
  record Line(Instant time, byte[] bytes, boolean terminated) {}

  /**
   * The next line; when following, waits for it. Empty at the end: of what was there, or, when
   * following, after the container ended.
   */
  Optional<Line> next() throws IOException, InterruptedException;

  @Override
  void close();
}
