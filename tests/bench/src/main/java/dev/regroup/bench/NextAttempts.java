package dev.regroup.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * The node prepares the next attempts while everything runs. Real failures are minutes apart; the
 * rounds of a benchmark are not, so each begins when the node is as ready as it would be.
 */
record NextAttempts(Path runtime) {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  void await(int count) throws IOException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (ready() < count) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("the node does not prepare the next attempts");
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  private long ready() throws IOException {
    try (var entries = Files.list(runtime.resolve("prepared"))) {
      return entries.count();
    } catch (NoSuchFileException e) {
      return 0;
    }
  }
}
