package dev.regroup.cli.run;

import dev.regroup.rules.progress.Goodput;
import dev.regroup.rules.progress.ProgressStep;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A run at one moment, as far as a person wants to see it. A value; the figures are those of the
 * report.
 *
 * @param title what runs, such as {@code training}
 * @param result empty while it runs
 * @param attempt of the group, -1 without one
 * @param maxRestarts that it may have, -1 if it does not say
 * @param goodput absent while nothing is known
 * @param step the newest that pods tell
 * @param restart the one under way: until its group works again
 * @param restarts that are over, oldest first
 * @param troubles what is in the way
 */
public record RunView(
    String title,
    Optional<RunProgress.Result> result,
    Instant began,
    int attempt,
    int maxRestarts,
    Optional<Goodput> goodput,
    @Nullable ProgressStep step,
    List<Worker> workers,
    Optional<UnderWay> restart,
    List<Told> restarts,
    List<String> troubles) {

  /** How a worker is. */
  public enum Sign {
    RUNNING('●', "running"),
    STARTING('◐', "starting"),
    AT_BARRIER('◌', "at the barrier"),
    STOPPING('↺', "being stopped"),
    CULPRIT('✗', "failed"),
    UNSCHEDULABLE('!', "cannot be scheduled"),
    DONE('✓', "done");

    private final char symbol;
    private final String words;

    Sign(char symbol, String words) {
      this.symbol = symbol;
      this.words = words;
    }

    public char symbol() {
      return symbol;
    }

    public String words() {
      return words;
    }
  }

  /**
   * One worker.
   *
   * @param name what people call it
   * @param number its place among all
   * @param culprit whether the restart under way is because of it
   */
  public record Worker(String name, String pod, int number, Sign sign, boolean culprit) {

    /** What is shown of it: whoever caused a restart stands out until that is over. */
    public Sign shown() {
      return culprit ? Sign.CULPRIT : sign;
    }
  }

  /**
   * Who caused a restart.
   *
   * @param cause in words, which begin with the pod if there is one
   * @param pod empty if it was none
   * @param deed the cause without the pod, and without the container if it is the only one
   * @param lastLine it wrote, empty if it wrote nothing
   */
  public record Blame(String cause, String pod, String deed, String lastLine) {}

  /**
   * A restart that is not over.
   *
   * @param attempt the group goes on to, or which recreation it is
   * @param since when it began, as far as is known
   */
  public record UnderWay(Stage stage, int attempt, Instant since, Blame blame) {

    /** Nothing holds the workers back any more. */
    public boolean lifted() {
      return stage != Stage.HELD_BACK;
    }
  }

  /** How far a restart is. */
  public enum Stage {
    /** The group gathers at its barrier. */
    HELD_BACK,
    /** The group is past its barrier and has only to run and to show something. */
    PAST_BARRIER,
    /** All pods are made anew. */
    MADE_ANEW
  }

  /** A restart that is over. */
  public record Told(
      int number, Instant began, Duration down, @Nullable Duration redoing, Blame blame) {}

  /** How many are shown like this. */
  public long count(Sign sign) {
    return workers.stream().filter(worker -> worker.shown() == sign).count();
  }

  /** Whether a restart is under way that has not got past its barrier. */
  public boolean isHeldBack() {
    return restart.filter(one -> !one.lifted()).isPresent();
  }

  /** How many restarts got past their barrier. */
  public int lifted() {
    return restarts.size() + (restart.filter(UnderWay::lifted).isPresent() ? 1 : 0);
  }
}
