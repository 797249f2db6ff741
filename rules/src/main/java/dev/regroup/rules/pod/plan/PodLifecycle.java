package dev.regroup.rules.pod.plan;

import java.util.List;
import java.util.Objects;

/**
 * The states of RAC-24 and the ways between them, as the table the planner executes. The picture
 * beside this class is printed from the same table.
 */
public final class PodLifecycle {

  /** Where a pod is in its life. */
  public enum Stage {
    /** No restart of all containers is under way: first start, steady state. */
    IDLE,
    /** Containers are being stopped and removed; the condition is True exactly here. */
    TERMINATING,
    /** Everything is removed; the start waits for back-off (RAC-51). */
    WAITING,
    /** The containers start again, from the first init entry. */
    STARTING,
    /** The pod ends for good: containers are being stopped. */
    ENDING,
    /** Nothing of the pod runs any more. */
    ENDED
  }

  /** What moves a pod from one stage to another. */
  public enum Fact {
    /** A source exited, a request or a group order is due (RAC-01). */
    TRIGGERED,
    /** No record is left to remove. */
    REMOVED,
    /** No record is left to remove, and back-off is due. */
    REMOVED_TOO_SOON,
    BACK_OFF_OVER,
    /** Every regular container has been started again. */
    ALL_STARTED,
    /** Deletion, eviction, deadline, completion, a failure nothing may repair. */
    END_DECIDED,
    ALL_DOWN
  }

  /** One row of the table. */
  public record Transition(Stage from, Fact fact, Stage to) {
    public Transition {
      Objects.requireNonNull(from, "from");
      Objects.requireNonNull(fact, "fact");
      Objects.requireNonNull(to, "to");
    }
  }

  /** From where to where one plan takes a pod; equal when it stays. */
  public record Step(Stage from, Stage to) {
    public Step {
      Objects.requireNonNull(from, "from");
      Objects.requireNonNull(to, "to");
    }

    public boolean moves() {
      return from != to;
    }
  }

  /** The table. A fact that has no row for a stage changes nothing there. */
  public static final List<Transition> TABLE =
      List.of(
          new Transition(Stage.IDLE, Fact.TRIGGERED, Stage.TERMINATING),
          new Transition(Stage.IDLE, Fact.END_DECIDED, Stage.ENDING),
          new Transition(Stage.TERMINATING, Fact.REMOVED_TOO_SOON, Stage.WAITING),
          new Transition(Stage.TERMINATING, Fact.REMOVED, Stage.STARTING),
          new Transition(Stage.TERMINATING, Fact.END_DECIDED, Stage.ENDING),
          new Transition(Stage.WAITING, Fact.BACK_OFF_OVER, Stage.STARTING),
          new Transition(Stage.WAITING, Fact.TRIGGERED, Stage.TERMINATING),
          new Transition(Stage.WAITING, Fact.END_DECIDED, Stage.ENDING),
          new Transition(Stage.STARTING, Fact.ALL_STARTED, Stage.IDLE),
          new Transition(Stage.STARTING, Fact.TRIGGERED, Stage.TERMINATING),
          new Transition(Stage.STARTING, Fact.END_DECIDED, Stage.ENDING),
          new Transition(Stage.ENDING, Fact.ALL_DOWN, Stage.ENDED));

  private PodLifecycle() {}

  /** Where the fact leads from the stage; the stage itself when the table has no row for it. */
  static Stage next(Stage from, Fact fact) {
    for (var row : TABLE) {
      if (row.from() == from && row.fact() == fact) {
        return row.to();
      }
    }
    return from;
  }

  /** The table as a Mermaid state diagram. */
  public static String diagram() {
    var text = new StringBuilder("stateDiagram-v2\n  [*] --> IDLE\n");
    for (var row : TABLE) {
      text.append("  %s --> %s : %s%n".formatted(row.from(), row.to(), words(row.fact())));
    }
    return text.append("  ENDED --> [*]\n").toString().replace("\r", "");
  }

  private static String words(Fact fact) {
    return switch (fact) {
      case TRIGGERED -> "exit matches, request or group order";
      case REMOVED -> "every record is gone";
      case REMOVED_TOO_SOON -> "every record is gone, back-off due";
      case BACK_OFF_OVER -> "back-off over";
      case ALL_STARTED -> "every regular container started";
      case END_DECIDED -> "deletion, completion or final failure";
      case ALL_DOWN -> "nothing runs, no sandbox";
    };
  }
}
