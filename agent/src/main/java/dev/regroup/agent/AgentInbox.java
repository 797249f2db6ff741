package dev.regroup.agent;

import dev.regroup.rules.group.GroupOrders;
import java.util.OptionalInt;

/** What the agent's other threads found out, for its one thread that acts. */
final class AgentInbox {

  private GroupOrders orders = GroupOrders.UNKNOWN;
  private OptionalInt ended = OptionalInt.empty();
  private int signal;
  private boolean news;

  /** Everything known at one moment. */
  record Knowledge(GroupOrders orders, OptionalInt workerEnded, int signal) {}

  synchronized void orders(GroupOrders latest) {
    if (!same(latest, orders)) {
      orders = latest;
      wakeUp();
    }
  }

  /** What a record's own equals would say: to link that takes a JVM that just started 10 ms. */
  private static boolean same(GroupOrders one, GroupOrders other) {
    return one.knowledge() == other.knowledge()
        && one.current().equals(other.current())
        && one.previous().equals(other.previous());
  }

  synchronized void workerEnded(int code) {
    ended = OptionalInt.of(code);
    wakeUp();
  }

  /** A signal that ends the agent. */
  synchronized void ending(int number) {
    signal = number;
    wakeUp();
  }

  private void wakeUp() {
    news = true;
    notifyAll();
  }

  /** What is known now; an end of the worker is told once. */
  synchronized Knowledge look() {
    var known = new Knowledge(orders, ended, signal);
    ended = OptionalInt.empty();
    news = false;
    return known;
  }

  /** Waits for anything that {@link #look} has not told, or this long; 0 means for ever. */
  synchronized void await(long millis) throws InterruptedException {
    long end = System.nanoTime() + millis * 1_000_000;
    while (!news) {
      long left = millis == 0 ? 0 : (end - System.nanoTime()) / 1_000_000;
      if (millis > 0 && left <= 0) {
        return;
      }
      wait(left);
    }
  }
}
