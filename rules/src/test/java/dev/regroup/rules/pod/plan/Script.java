package dev.regroup.rules.pod.plan;

import java.time.Duration;
import java.util.List;

/**
 * What the program of a container does, run by run; the last run repeats.
 *
 * @param preStop how long the hook takes
 * @param postStart how long the hook takes; negative: it fails after that time
 */
public record Script(List<Run> runs, Duration preStop, Duration postStart) {
  public static final Duration FOREVER = Duration.ofDays(10_000);

  public Script {
    runs = List.copyOf(runs);
  }

  /** One run: ends by itself after a time, and reacts to the stop signal after a time. */
  public record Run(Duration after, int code, String reason, Duration onSignal, int signalCode) {
    static Run exit(int code) {
      return exitAfter(code, Duration.ofSeconds(1));
    }

    public static Run exitAfter(int code, Duration after) {
      return new Run(after, code, "", Duration.ZERO, 143);
    }

    public static Run forever() {
      return new Run(FOREVER, 0, "", Duration.ZERO, 143);
    }

    /** Ignores the stop signal. */
    public Run deaf() {
      return new Run(after, code, reason, FOREVER, 137);
    }

    public Run onSignal(Duration takes, int code) {
      return new Run(after, this.code, reason, takes, code);
    }

    public Run because(String reason) {
      return new Run(after, code, reason, onSignal, signalCode);
    }
  }

  static Script of(Run... runs) {
    return new Script(List.of(runs), Duration.ZERO, Duration.ZERO);
  }

  public static Script forever() {
    return of(Run.forever());
  }

  Script preStop(Duration takes) {
    return new Script(runs, takes, postStart);
  }

  Script postStart(Duration takes) {
    return new Script(runs, preStop, takes);
  }

  Run run(int number) {
    return runs.get(Math.min(number, runs.size() - 1));
  }
}
