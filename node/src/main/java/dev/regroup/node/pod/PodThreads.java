package dev.regroup.node.pod;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Virtual threads that belong to one pod and end with its driver. */
public final class PodThreads {

  /** Work that may be interrupted. */
  public interface Work {
    void run() throws InterruptedException;
  }

  private final Set<Thread> running = ConcurrentHashMap.newKeySet();

  /** Starts the work; the thread may be interrupted by the caller to abandon it. */
  public Thread start(String name, Work work) {
    var thread = Thread.ofVirtual().name(name).unstarted(() -> run(work));
    running.add(thread);
    thread.start();
    return thread;
  }

  /** Interrupts everything and waits until it has ended. */
  public void stop() throws InterruptedException {
    for (var thread : running) {
      thread.interrupt();
    }
    for (var thread : running) {
      thread.join();
    }
  }

  private void run(Work work) {
    try {
      work.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // abandoned, or the driver ends
    } finally {
      running.remove(Thread.currentThread());
    }
  }
}
