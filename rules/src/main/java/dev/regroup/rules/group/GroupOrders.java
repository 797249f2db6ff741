package dev.regroup.rules.group;

import java.util.Objects;
import java.util.OptionalInt;

/**
 * What a JobSet orders its pods (jobset.md 7.4), as one of their agents last read it.
 *
 * @param knowledge whether the JobSet was read at all since the agent started; without it no
 *     barrier is lifted and no restart is guessed (JS-165b)
 * @param current go on: the attempt that may run
 * @param previous restart: attempts up to this one
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

  public static final GroupOrders BYPASS =
      new GroupOrders(Knowledge.BYPASS, OptionalInt.empty(), OptionalInt.empty());

  public GroupOrders {
    Objects.requireNonNull(knowledge, "knowledge");
    Objects.requireNonNull(current, "current");
    Objects.requireNonNull(previous, "previous");
  }

  public static GroupOrders of(OptionalInt current, OptionalInt previous) {
    return new GroupOrders(Knowledge.KNOWN, current, previous);
  }

  public static GroupOrders of(Barrier barrier) {
    return of(barrier.current(), barrier.previous());
  }

  /** Changes with every order, so that what belongs to the time between two is told apart. */
  public String spell() {
    return switch (knowledge) {
      case UNKNOWN, BYPASS -> knowledge.name();
      case KNOWN -> current.orElse(-1) + "/" + previous.orElse(-1);
    };
  }

  Barrier barrier() {
    return new Barrier(current, previous);
  }
}
