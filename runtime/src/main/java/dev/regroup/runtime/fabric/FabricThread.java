package dev.regroup.runtime.fabric;

import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeFailure.Kind;
import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * The one platform thread that moves between network namespaces, and the queue to it. Everything
 * that must happen inside the fabric happens on it; others wait for the result.
 *
 * <p>A task that leaves the thread in the wrong namespace says so with {@link Lost}: the thread
 * ends, and every later task is refused rather than done in the wrong place.
 */
final class FabricThread implements AutoCloseable {
  private static final int MOST_WAITING = 4096;

  private final BlockingQueue<FutureTask<?>> tasks = new ArrayBlockingQueue<>(MOST_WAITING);
  private final Thread thread;
  private volatile boolean open = true;

  /** Work that may be refused by the kernel. */
  interface Task<T> {
    T run() throws IOException;
  }

  /** The thread is not where it should be: nothing more may run on it. */
  static final class Lost extends Error {
    private static final long serialVersionUID = 1L;

    Lost(Throwable cause) {
      super("the fabric's thread cannot return to its namespace", cause);
    }
  }

  FabricThread(String name) {
    this.thread = Thread.ofPlatform().name(name).daemon().start(this::loop);
  }

  /** Runs the task inside and waits for its result. */
  <T> T call(String what, Task<T> task) throws RuntimeFailure {
    var future = new FutureTask<T>(task::run);
    if (!open || !tasks.offer(future)) {
      throw new RuntimeFailure(Kind.SYSTEM, what + ": the pod network is closed or overloaded");
    }
    if (!open) { // closed in between: the loop may have looked at the queue for the last time
      future.cancel(false);
    }
    try {
      return future.get();
    } catch (CancellationException e) {
      throw new RuntimeFailure(Kind.SYSTEM, what + ": the pod network is closed", e);
    } catch (InterruptedException e) {
      future.cancel(false);
      Thread.currentThread().interrupt();
      throw new RuntimeFailure(Kind.TIMED_OUT, what + ": interrupted", e);
    } catch (ExecutionException e) {
      throw failure(what, e.getCause());
    }
  }

  /** Ends the thread after the task it is at, and waits for it. Idempotent. */
  @Override
  public void close() {
    open = false;
    boolean _ = tasks.offer(new FutureTask<>(() -> null)); // wakes the loop; a full queue does too
    awaitEnd(thread);
  }

  /** Waits for a thread that was told to end; an interrupt is kept for later. */
  static void awaitEnd(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void loop() {
    try {
      while (open) {
        FutureTask<?> task = tasks.take();
        task.run();
        if (task.state() == FutureTask.State.FAILED && task.exceptionNow() instanceof Lost) {
          break;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // close() was called
    } finally {
      open = false;
      tasks.forEach(task -> task.cancel(false));
    }
  }

  private static RuntimeFailure failure(String what, @Nullable Throwable cause) {
    return switch (cause) {
      case IOException refused ->
          new RuntimeFailure(Kind.SYSTEM, what + ": " + refused.getMessage(), refused);
      case RuntimeException bug -> throw bug;
      case Error error -> throw error;
      case null, default -> throw new IllegalStateException(what, cause);
    };
  }
}
