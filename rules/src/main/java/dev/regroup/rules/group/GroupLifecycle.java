package dev.regroup.rules.group;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The stages of a group and the ways between them, as the table {@link GroupPlan} executes. The
 * picture beside this class is printed from the same table.
 */
public final class GroupLifecycle {

  /** Where a group is, as its two orders say. */
  public enum Stage {
    /** No attempt has run yet: the pods gather for attempt 0. */
    STARTING,
    /** The barrier is lifted: the workers of the current attempt run. */
    RUNNING,
    /** The current attempt was told to restart: the pods gather for the next one. */
    RESTARTING,
    /** No restart is left, or one would lead nowhere. */
    FAILED;

    static Stage of(Barrier barrier) {
      if (barrier.current().isEmpty()) {
        return STARTING;
      }
      return barrier.restarting() ? RESTARTING : RUNNING;
    }
  }

  /** What moves a group from one stage to another. */
  public enum Fact {
    /** An init container restarts without end (JS-145). */
    RUNAWAY("an init container restarts without end"),
    /** A restart has to be paid for, and the budget is spent (JS-160a). */
    BUDGET_SPENT("restart needed, budget spent"),
    /** Every place reports the next attempt (JS-118). */
    IN_STEP("every pod at the next attempt"),
    /** A restart is needed and some place has succeeded, which cannot run again (JS-134). */
    TRIGGERED_AFTER_SUCCESS("restart needed, a pod has succeeded"),
    /** Somebody failed, is ahead, asked, or the group changes (JS-120, JS-146, JS-160, JS-167). */
    TRIGGERED("restart needed"),
    /** A place succeeded before the word to restart reached it: it never comes back (JS-134). */
    SUCCEEDED_MEANWHILE("a pod has succeeded meanwhile");

    private final String words;

    Fact(String words) {
      this.words = words;
    }
  }

  /** What the group is told; each is one update of the status. */
  public enum Move {
    LIFT,
    RESTART,
    RECREATE,
    FAIL
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

  /** The table. Of the rows of one stage the first whose fact holds is taken; none: wait. */
  public static final List<Transition> TABLE =
      List.of(
          new Transition(Stage.STARTING, Fact.RUNAWAY, Move.FAIL, Stage.FAILED),
          new Transition(Stage.STARTING, Fact.IN_STEP, Move.LIFT, Stage.RUNNING),
          new Transition(Stage.RUNNING, Fact.RUNAWAY, Move.FAIL, Stage.FAILED),
          new Transition(Stage.RUNNING, Fact.BUDGET_SPENT, Move.FAIL, Stage.FAILED),
          new Transition(Stage.RUNNING, Fact.IN_STEP, Move.LIFT, Stage.RUNNING),
          new Transition(
              Stage.RUNNING, Fact.TRIGGERED_AFTER_SUCCESS, Move.RECREATE, Stage.RESTARTING),
          new Transition(Stage.RUNNING, Fact.TRIGGERED, Move.RESTART, Stage.RESTARTING),
          new Transition(Stage.RESTARTING, Fact.RUNAWAY, Move.FAIL, Stage.FAILED),
          new Transition(Stage.RESTARTING, Fact.IN_STEP, Move.LIFT, Stage.RUNNING),
          new Transition(
              Stage.RESTARTING, Fact.SUCCEEDED_MEANWHILE, Move.RECREATE, Stage.RESTARTING));

  private GroupLifecycle() {}

  /** The row to take from this stage, if any fact that leads somewhere holds. */
  static Optional<Transition> next(Stage from, Predicate<Fact> holds) {
    return TABLE.stream().filter(row -> row.from() == from && holds.test(row.fact())).findFirst();
  }

  /** The table as a Mermaid state diagram. */
  public static String diagram() {
    var text = new StringBuilder("stateDiagram-v2\n  [*] --> STARTING\n");
    for (var row : TABLE) {
      text.append("  ").append(row.from()).append(" --> ").append(row.to());
      text.append(" : ").append(row.fact().words);
      text.append(" / ").append(words(row.move())).append('\n');
    }
    return text.append("  FAILED --> [*]\n").toString();
  }

  private static String words(Move move) {
    return switch (move) {
      case LIFT -> "lift the barrier";
      case RESTART -> "tell everybody to restart";
      case RECREATE -> "make all Jobs anew";
      case FAIL -> "fail the JobSet";
    };
  }
}
