package dev.regroup.client.informer;

/** Waits for threads that were told to end. */
final class Joins {

  private Joins() {}

  /** Waits until it has ended; an interrupt is kept for later. */
  static void uninterruptibly(Thread thread) {
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
}
