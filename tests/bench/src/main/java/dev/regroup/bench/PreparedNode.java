package dev.regroup.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * The node prepares the next attempts while everything runs. Real failures are minutes apart; the
 * rounds of a benchmark are not, so each begins when the node is as ready as it would be.
 */
record PreparedNode(Path runtime) {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration SETUP = Duration.ofMillis(50);

  /** Root file systems of attempts nobody knows yet. */
  void awaitRoots(int count) throws IOException {
    await(count, _ -> true);
  }

  /** Attempts that only have to be told to go on. */
  void awaitAttempts(int count) throws IOException {
    await(count, PreparedNode::waits);
  }

  private void await(int count, Predicate<Path> fact) throws IOException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (ready(fact) < count) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("the node does not prepare the next runs");
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  private long ready(Predicate<Path> fact) throws IOException {
    try (var entries = Files.list(runtime.resolve("prepared"))) {
      return entries.filter(fact).count();
    } catch (NoSuchFileException e) {
      return 0;
    }
  }

  /** Its tape began long enough ago to be at the end of what can be prepared. */
  private static boolean waits(Path prepared) {
    try {
      var began = Files.getLastModifiedTime(prepared.resolve("start")).toInstant();
      return began.plus(SETUP).isBefore(Instant.now());
    } catch (IOException e) { // only a root, or taken meanwhile
      return false;
    }
  }
}
