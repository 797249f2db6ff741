package dev.regroup.rules.group;

import java.util.HashMap;
import java.util.Map;

/** What must hold in every {@link World}, after each step and at its end (design, section 9). */
final class Invariants {

  /** An invariant does not hold. */
  static final class Broken extends RuntimeException {
    Broken(String what) {
      super(what);
    }
  }

  private final World world;
  private final Map<Integer, Integer> highestReport = new HashMap<>();
  private int orders;
  int failures;

  Invariants(World world) {
    this.world = world;
  }

  /** An agent arrives at the running attempt, if it read late, or at the next: never behind. */
  void reported(World.Pod pod) {
    var barrier = world.stored.barrier();
    if (pod.attempt.getAsInt() < barrier.current().orElse(0)) {
      throw new Broken(pod.uid + " arrives behind " + barrier.current());
    }
    highestReport.merge(pod.slot, pod.attempt.getAsInt(), Math::max);
  }

  /** The orders never go back, never skip, cost what they should, and wait for every place. */
  void written(GroupStatus before, GroupStatus after) {
    var was = before.barrier();
    var is = after.barrier();
    world.say("writes " + is.current() + " " + is.previous() + " counted " + after.counted());
    if (is.current().orElse(-1) < was.current().orElse(-1)
        || is.previous().orElse(-1) < was.previous().orElse(-1)) {
      throw new Broken("an order went back");
    }
    if (is.previous().orElse(-1) > is.current().orElse(-1)) {
      throw new Broken("told an attempt to restart that never ran");
    }
    if (after.counted().orElse(0) > world.maxRestarts) {
      throw new Broken("more restarts than the budget allows");
    }
    if (!is.current().equals(was.current())) {
      lifted(was, is.current().getAsInt());
    }
    if (!is.previous().equals(was.previous())) {
      orders++;
    }
  }

  private void lifted(Barrier was, int attempt) {
    if (attempt != was.next()) {
      throw new Broken("lifted from " + was.current() + " to " + attempt);
    }
    for (int slot = 0; slot < world.size; slot++) {
      if (highestReport.getOrDefault(slot, -1) < attempt) {
        throw new Broken("lifted to " + attempt + " before place " + slot + " reported it");
      }
    }
  }

  /** Barrier safety: nobody else may still run in another attempt when a worker starts. */
  void alone(World.Pod started) {
    if (started.worker > world.stored.barrier().current().orElse(-1)) {
      throw new Broken(started.uid + " runs " + started.worker + " before it is allowed");
    }
    for (var pod : world.pods.values()) {
      if (pod.worker >= 0 && pod.worker != started.worker) {
        throw new Broken(started.uid + " runs beside " + pod.uid + " of " + pod.worker);
      }
    }
  }

  /** Liveness, and exactly once: every restart counted once, no more restarts than failures. */
  void atTheEnd() {
    var status = world.stored;
    int counted = status.counted().orElse(0);
    int current = status.barrier().current().orElse(-1);
    if (!world.failed) {
      for (var pod : world.bySlot) {
        if (pod.worker != current) {
          throw new Broken("stuck: " + pod.uid + " is at " + pod.worker + ", not " + current);
        }
      }
      if (counted != current) {
        throw new Broken(current + " restarts, " + counted + " counted");
      }
    }
    if (orders > current + 1) {
      throw new Broken(orders + " orders for " + current + " restarts");
    }
    if (counted > failures * 2) { // a failure that races the lift may cost a second restart
      throw new Broken(counted + " counted for " + failures + " failures");
    }
    if (world.failed && counted < world.maxRestarts) {
      throw new Broken("failed with restarts left");
    }
  }
}
