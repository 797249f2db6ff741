package dev.regroup.rules.pod.plan;

import dev.regroup.rules.pod.GroupOrders.Knowledge;
import dev.regroup.rules.pod.PodSpec.BarrierRole;
import java.util.OptionalInt;

/**
 * The node as agent of its own pods (JS-165): regular containers wait until the group says that
 * this pod's attempt may run.
 */
sealed interface NodeBarrier {

  /** Regular containers may start. */
  record Open() implements NodeBarrier {}

  /** They wait, for this reason. */
  record Hold(String message) implements NodeBarrier {}

  /** The pod has arrived: its attempt must be remembered before anything is told to the group. */
  record Arrive(int attempt) implements NodeBarrier {}

  static NodeBarrier of(View view) {
    var group = view.seen.group();
    if (view.spec.barrier() != BarrierRole.NODE_AGENT || group.knowledge() == Knowledge.BYPASS) {
      return new Open();
    }
    if (lifted(view)) {
      return new Open(); // lifted for this attempt before; a helper may restart on its own
    }
    if (group.knowledge() == Knowledge.UNKNOWN) {
      return new Hold("waiting for the group: its state is not known yet"); // JS-165b
    }
    if (view.cycle.attempt().isEmpty()) {
      return new Arrive(next(view));
    }
    int attempt = view.cycle.attempt().getAsInt();
    boolean open = group.current().equals(OptionalInt.of(attempt));
    return open ? new Open() : new Hold("waiting for the group at attempt " + attempt);
  }

  /** The attempt a pod takes that arrives now: the one after the current (JS-165a). */
  static int next(View view) {
    var current = view.seen.group().current();
    int next = current.isEmpty() ? 0 : current.getAsInt() + 1;
    return Math.max(next, view.cycle.attemptFloor());
  }

  /**
   * The least the next attempt can be: a pod that ran has seen its own attempt become current, so
   * an older reading of the group must not send it back.
   */
  static int floor(View view) {
    int attempt = view.cycle.attempt().orElse(view.cycle.attemptFloor());
    return view.cycle.attempt().isPresent() && lifted(view) ? attempt + 1 : attempt;
  }

  private static boolean lifted(View view) {
    return view.cycle.attempt().isPresent()
        && view.regular.stream().anyMatch(c -> view.here(c).isPresent());
  }
}
