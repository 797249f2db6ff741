package dev.regroup.client;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;

/** Does the same with many objects at once: it takes as long as the slowest, not as the sum. */
public final class SideBySide {

  private static final int AT_ONCE = 50; // as many requests as the released controller (JS-71)

  /** One request or a few about one object. */
  @FunctionalInterface
  public interface Work<T> {
    void on(T object) throws ApiFailure, Transport.Unreachable, InterruptedException;
  }

  private SideBySide() {}

  /** All are tried; then the first failure is thrown. */
  public static <T> void each(List<T> objects, Work<? super T> work)
      throws ApiFailure, Transport.Unreachable, InterruptedException {
    if (objects.size() == 1) {
      work.on(objects.getFirst());
      return;
    }
    var slots = new Semaphore(AT_ONCE);
    var results = new ArrayList<Future<Void>>();
    try (var scope = Executors.newVirtualThreadPerTaskExecutor()) {
      for (var object : objects) {
        results.add(
            scope.submit(() -> {
              slots.acquire();
              try {
                work.on(object);
              } finally {
                slots.release();
              }
              return null;
            }));
      }
    }
    for (var result : results) {
      try {
        result.get();
      } catch (ExecutionException e) {
        switch (e.getCause()) {
          case ApiFailure failure -> throw failure;
          case Transport.Unreachable unreachable -> throw unreachable;
          case InterruptedException interrupted -> throw interrupted;
          case null, default ->
              throw new IllegalStateException("a request met a bug", e.getCause());
        }
      }
    }
  }
}
