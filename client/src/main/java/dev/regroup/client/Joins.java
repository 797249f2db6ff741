package dev.regroup.client;

/** Waits for threads that were told to end. */
public final class Joins {

  private Joins() {}

  /**
   * Waits until it has ended; an interrupt is kept for later. A thread does not wait for itself.
   */
  public static void uninterruptibly(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive() && !thread.equals(Thread.currentThread())) {
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
}
