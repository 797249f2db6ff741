package dev.regroup.rules.group;

import java.util.Objects;
import java.util.OptionalInt;

/**
 * The mind of every agent, whatever body it has: sidecar, main container, process (jobset.md 7.4,
 * 7.5) or the node itself (JS-165). What the group orders and where the agent stands go in; what it
 * does next comes out:
 *
 * <ol>
 *   <li>The barrier is switched off: run (JS-127 step 1).
 *   <li>No attempt taken yet: take the one after the running attempt and report it (step 2). It
 *       becomes the agent's own only once it is written.
 *   <li>The own attempt is ordered to restart: restart, whether the worker runs or waits (step 3).
 *       What comes back begins without an attempt.
 *   <li>The own attempt may run: run (step 4). It may go on for good: a worker that was let through
 *       is not held again, also while nobody knows what the group wants (JS-165b).
 *   <li>Otherwise hold. While the orders are unknown nothing is taken, lifted or guessed.
 * </ol>
 *
 * <p>A pure function, to be asked after every change. Orders only ever rise, so an agent that
 * missed some acts on the latest (JS-143); the floor keeps one that reads old orders from going
 * back.
 */
public sealed interface AgentMind {

  /** The worker waits, for this reason. */
  record Hold(Reason reason) implements AgentMind {}

  /** Take this attempt: write it down first, then tell the group. */
  record Arrive(int attempt) implements AgentMind {}

  /** The worker may start; one that runs goes on. */
  record Run() implements AgentMind {}

  /** Stop the worker and come back without an attempt, to take {@code to} or a later one. */
  record Restart(int from, int to) implements AgentMind {}

  /** What an agent that holds waits for. */
  enum Reason {
    /** To hear of the group at all. */
    NEWS,
    /** Until everybody is at its attempt. */
    THE_OTHERS
  }

  /** Whether the worker was let through in the agent's attempt. */
  enum Worker {
    WAITS,
    STARTED
  }

  /**
   * What an agent knows of itself.
   *
   * @param attempt the one it has taken, empty until then
   * @param floor the least attempt it may take, however old the orders are that it reads
   */
  record Self(OptionalInt attempt, int floor, Worker worker) {

    /** Of an agent that has just started and remembers nothing (JS-129). */
    public static final Self NEW = new Self(OptionalInt.empty(), 0, Worker.WAITS);

    public Self {
      Objects.requireNonNull(attempt, "attempt");
      Objects.requireNonNull(worker, "worker");
    }

    public Self arrived(int attempt) {
      return new Self(OptionalInt.of(attempt), floor, Worker.WAITS);
    }

    public Self running() {
      return new Self(attempt, floor, Worker.STARTED);
    }

    /**
     * Has left its attempt, ordered or not. An attempt whose worker ran was the current one of the
     * group, so the next is a later one; at the barrier the same attempt may be taken again.
     */
    public Self left() {
      if (attempt.isEmpty()) {
        return new Self(attempt, floor, Worker.WAITS);
      }
      int own = attempt.getAsInt();
      return new Self(OptionalInt.empty(), worker == Worker.STARTED ? own + 1 : own, Worker.WAITS);
    }
  }

  static AgentMind of(GroupOrders orders, Self self) {
    return switch (orders.knowledge()) {
      case BYPASS -> new Run();
      case UNKNOWN -> self.worker() == Worker.STARTED ? new Run() : new Hold(Reason.NEWS);
      case KNOWN -> known(orders.barrier(), self);
    };
  }

  private static AgentMind known(Barrier barrier, Self self) {
    int next = Math.max(barrier.next(), self.floor());
    if (self.attempt().isEmpty()) {
      return new Arrive(next);
    }
    int own = self.attempt().getAsInt();
    if (barrier.mustRestart(own)) {
      return new Restart(own, next);
    }
    boolean run = self.worker() == Worker.STARTED || barrier.mayRun(own);
    return run ? new Run() : new Hold(Reason.THE_OTHERS);
  }
}
