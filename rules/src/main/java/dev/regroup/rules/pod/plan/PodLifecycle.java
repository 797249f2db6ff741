package dev.regroup.rules.pod.plan;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The states of RAC-24 and the ways between them, as the table {@link Planner} executes. The
 * picture beside this class is printed from the same table.
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
    /** Nothing of the old epoch runs any more, and back-off holds the start (RAC-51). */
    DOWN_TOO_SOON,
    /** Nothing of the old epoch runs any more. */
    DOWN,
    BACK_OFF_OVER,
    /** Every regular container has been started again. */
    ALL_STARTED,
    /** Deletion, eviction, deadline, completion, a failure nothing may repair. */
    END_DECIDED,
    ALL_DOWN
  }

  /** What the planner does on the way. */
  public enum Move {
    /** Remember that a cycle has begun; containers are stopped by the looks that follow. */
    BEGIN,
    /** Remove every record and remember that phase one is over. */
    REMOVE,
    /** Start the containers again. */
    START,
    /** Remember that the cycle is over. */
    SETTLE,
    /** Stop what still runs, in the order an end asks for, and show how the pod ends. */
    END
  }

  /** One row of the table. */
  public record Transition(Stage from, Fact fact, Move move, Stage to) {
    public Transition {
      Objects.requireNonNull(from, "from");
      Objects.requireNonNull(fact, "fact");
      Objects.requireNonNull(move, "move");
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

  /** The table. Of the rows of one stage the first whose fact holds is taken; none: stay. */
  public static final List<Transition> TABLE =
      List.of(
          new Transition(Stage.IDLE, Fact.END_DECIDED, Move.END, Stage.ENDING),
          new Transition(Stage.IDLE, Fact.TRIGGERED, Move.BEGIN, Stage.TERMINATING),
          new Transition(Stage.TERMINATING, Fact.END_DECIDED, Move.END, Stage.ENDING),
          new Transition(Stage.TERMINATING, Fact.DOWN_TOO_SOON, Move.REMOVE, Stage.WAITING),
          new Transition(Stage.TERMINATING, Fact.DOWN, Move.REMOVE, Stage.STARTING),
          new Transition(Stage.WAITING, Fact.END_DECIDED, Move.END, Stage.ENDING),
          new Transition(Stage.WAITING, Fact.TRIGGERED, Move.BEGIN, Stage.TERMINATING),
          new Transition(Stage.WAITING, Fact.BACK_OFF_OVER, Move.START, Stage.STARTING),
          new Transition(Stage.STARTING, Fact.END_DECIDED, Move.END, Stage.ENDING),
          new Transition(Stage.STARTING, Fact.TRIGGERED, Move.BEGIN, Stage.TERMINATING),
          new Transition(Stage.STARTING, Fact.ALL_STARTED, Move.SETTLE, Stage.IDLE),
          new Transition(Stage.ENDING, Fact.ALL_DOWN, Move.END, Stage.ENDED));

  private PodLifecycle() {}

  /** The row to take from this stage, if any fact that leads somewhere holds. */
  static Optional<Transition> next(Stage from, Predicate<Fact> holds) {
    return TABLE.stream().filter(row -> row.from() == from && holds.test(row.fact())).findFirst();
  }

  /** The table as a Mermaid state diagram. */
  public static String diagram() {
    var text = new StringBuilder("stateDiagram-v2\n  [*] --> IDLE\n");
    for (var row : TABLE) {
      text.append("  ").append(row.from()).append(" --> ").append(row.to());
      text.append(" : ").append(words(row.fact()));
      text.append(" / ").append(words(row.move())).append('\n');
    }
    return text.append("  ENDED --> [*]\n").toString();
  }

  private static String words(Fact fact) {
    return switch (fact) {
      case TRIGGERED -> "exit matches, request or group order";
      case DOWN -> "nothing runs";
      case DOWN_TOO_SOON -> "nothing runs, back-off due";
      case BACK_OFF_OVER -> "back-off over";
      case ALL_STARTED -> "every regular container started";
      case END_DECIDED -> "deletion, completion or final failure";
      case ALL_DOWN -> "nothing runs, no sandbox";
    };
  }

  private static String words(Move move) {
    return switch (move) {
      case BEGIN -> "begin a cycle";
      case REMOVE -> "remove every record";
      case START -> "start from the top";
      case SETTLE -> "the cycle is over";
      case END -> "end the pod";
    };
  }
}
