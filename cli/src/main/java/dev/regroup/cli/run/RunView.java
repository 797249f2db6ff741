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
 * @param restart the one under way
 * @param restarts that happened, oldest first
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
   */
  public record Worker(String name, String pod, int number, Sign sign) {}

  /**
   * A restart that is not over.
   *
   * @param since when it began, as far as is known
   */
  public record UnderWay(int attempt, Instant since, String cause) {}

  /** A restart that is over. */
  public record Told(
      int number, Instant began, Duration down, @Nullable Duration redoing, String cause) {}

  public long count(Sign sign) {
    return workers.stream().filter(worker -> worker.sign() == sign).count();
  }
}
