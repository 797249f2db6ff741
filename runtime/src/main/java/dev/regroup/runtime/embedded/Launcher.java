package dev.regroup.runtime.embedded;

import dev.regroup.runtime.RuntimeFailure;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * The threads {@code launcher-*}: system calls and file work happen here, so that callers may be
 * virtual threads. A few are enough, starting a container keeps the kernel busy, not the thread.
 */
final class Launcher implements AutoCloseable {

  private static final int THREADS =
      Math.clamp(2L * Runtime.getRuntime().availableProcessors(), 4, 16);

  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          THREADS, Thread.ofPlatform().name("launcher-", 1).daemon(true).factory());

  /**
   * Does it on a launcher thread and waits. If the caller is interrupted it is done all the same.
   */
  <T> T call(Callable<T> work) throws RuntimeFailure, InterruptedException {
    try {
      return threads.submit(work).get();
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RuntimeFailure failure -> throw copy(failure);
        case IOException failure ->
            throw new RuntimeFailure(
                RuntimeFailure.Kind.SYSTEM, String.valueOf(failure.getMessage()), failure);
        case InterruptedException _ -> throw new InterruptedException("the runtime is closing");
        case null, default -> throw new IllegalStateException("work failed", e.getCause());
      }
    }
  }

  /** With the caller's stack, and the launcher's as the cause. */
  private static RuntimeFailure copy(RuntimeFailure failure) {
    return new RuntimeFailure(failure.kind(), String.valueOf(failure.getMessage()), failure);
  }

  void execute(Runnable work) {
    threads.execute(work);
  }

  @Override
  public void close() {
    threads.shutdown();
    try {
      if (!threads.awaitTermination(30, TimeUnit.SECONDS)) {
        threads.shutdownNow();
      }
    } catch (InterruptedException e) {
      threads.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
