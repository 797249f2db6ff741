package dev.regroup.node.pod;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The threads {@code node-disk-*}, where files are synced while virtual threads wait. More than
 * one: a disk answers the syncs that wait together at once, so that the pods of a group that
 * restarts cost little more than one of them.
 */
public final class NodeDisk {

  private static final int THREADS = 16;

  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          THREADS, Thread.ofPlatform().name("node-disk-", 1).daemon().factory());

  /** Something that waits for the disk. */
  interface Work {
    void run() throws IOException;
  }

  /** Begins it; {@link #await} tells how it ended. */
  Future<?> begin(Work work) {
    return threads.submit(() -> {
      work.run();
      return work;
    });
  }

  static void await(Future<?> work) throws IOException, InterruptedException {
    try {
      work.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IllegalStateException("write failed unexpectedly", e.getCause());
    }
  }

  public void stop() {
    threads.close(); // waits for the writes under way
  }
}
