package dev.regroup.rules.pod;

import java.util.Objects;
import java.util.OptionalInt;

/**
 * What the pod's JobSet says to its pods (jobset.md 7.4), as the node last read it.
 *
 * @param knowledge whether the JobSet was read at all since the node started; without it no barrier
 *     is lifted and no restart is guessed (JS-165b)
 * @param current the attempt that may run
 * @param previous attempts up to this one must restart
 */
public record GroupOrders(Knowledge knowledge, OptionalInt current, OptionalInt previous) {

  public enum Knowledge {
    UNKNOWN,
    KNOWN,
    /** The JobSet switched the barrier off (JS-127 step 1). */
    BYPASS
  }

  public static final GroupOrders UNKNOWN =
      new GroupOrders(Knowledge.UNKNOWN, OptionalInt.empty(), OptionalInt.empty());

  public GroupOrders {
    Objects.requireNonNull(knowledge, "knowledge");
    Objects.requireNonNull(current, "current");
    Objects.requireNonNull(previous, "previous");
  }

  public static GroupOrders of(OptionalInt current, OptionalInt previous) {
    return new GroupOrders(Knowledge.KNOWN, current, previous);
  }
}
