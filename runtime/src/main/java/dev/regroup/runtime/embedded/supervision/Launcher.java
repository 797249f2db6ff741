package dev.regroup.runtime.embedded.supervision;

import dev.regroup.runtime.RuntimeFailure;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * The threads {@code launcher-*}: system calls and file work happen here, so that callers may be
 * virtual threads. A few are enough, starting a container keeps the kernel busy, not the thread.
 */
public final class Launcher implements AutoCloseable {

  private static final int THREADS =
      Math.clamp(2L * Runtime.getRuntime().availableProcessors(), 4, 16);

  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          THREADS, Thread.ofPlatform().name("launcher-", 1).daemon(true).factory());

  /**
   * Does it on a launcher thread and waits. A caller that is interrupted leaves when it is certain
   * that nothing goes on behind its back: before the work has begun, or after it has ended.
   */
  public <T> T call(Callable<T> work) throws RuntimeFailure, InterruptedException {
    return call(work, _ -> {});
  }

  /** The same; a result the interrupted caller does not get is given to {@code unwanted}. */
  public <T> T call(Callable<T> work, Consumer<T> unwanted)
      throws RuntimeFailure, InterruptedException {
    var begun = new AtomicBoolean(); // set by the thread that begins, or by the caller that leaves
    var result =
        threads.submit(() -> {
          if (!begun.compareAndSet(false, true)) {
            throw new InterruptedException();
          }
          return work.call();
        });
    try {
      return result(result);
    } catch (InterruptedException e) {
      if (begun.compareAndSet(false, true)) {
        throw e;
      }
      awaitEnd(result);
      if (result.state() == Future.State.SUCCESS) {
        unwanted.accept(result.resultNow());
      }
      throw e;
    }
  }

  /** However often the caller is interrupted: work on a launcher thread is short, or times out. */
  private static void awaitEnd(Future<?> work) {
    while (!work.isDone()) {
      try {
        work.get();
      } catch (InterruptedException | ExecutionException e) {
        Thread.onSpinWait(); // whoever asks next says how it ended, or waits on
      }
    }
  }

  private static <T> T result(Future<T> work) throws RuntimeFailure, InterruptedException {
    try {
      return work.get();
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

  public void execute(Runnable work) {
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
