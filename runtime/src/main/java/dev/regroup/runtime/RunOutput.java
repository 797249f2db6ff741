package dev.regroup.runtime;

import java.io.IOException;
import java.time.Instant;

/** What a run has written so far; a value of one moment. */
public interface RunOutput {

  ContainerKey key();

  /** When its first byte was seen. */
  Instant first();

  /** When its newest byte was seen. */
  Instant last();

  /** How much it has written. */
  long size();

  /** What it wrote after this offset up to {@link #size}, of more only the newest bytes. */
  byte[] newest(long after, int limit) throws IOException;
}
