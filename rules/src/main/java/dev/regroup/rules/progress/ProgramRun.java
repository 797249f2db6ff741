package dev.regroup.rules.progress;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One run of a program, from its start to its end, as far as it shows itself by output and steps. A
 * step is a word of it, too, also one that it writes into a file and nowhere else.
 *
 * @param toReach the furthest step of the runs before it that no run has reached again, -1 if
 *     nobody knows
 * @param firstStep the first it told
 * @param lastStep the newest; its time is when it was told first
 * @param caughtUp when it was back at {@code toReach}
 */
public record ProgramRun(
    long toReach,
    @Nullable Instant firstOutput,
    @Nullable Instant lastOutput,
    @Nullable ProgressStep firstStep,
    @Nullable ProgressStep lastStep,
    @Nullable Instant caughtUp) {

  /** A first run of which nothing was seen. */
  public static final ProgramRun NEW = new ProgramRun(-1, null, null, null, null, null);

  /** The run after this one. */
  public ProgramRun next() {
    long reached = lastStep == null ? -1 : lastStep.number();
    long open = caughtUp == null ? Math.max(reached, toReach) : reached;
    return new ProgramRun(open, null, null, null, null, null);
  }

  public ProgramRun wrote(Instant first, Instant last) {
    return new ProgramRun(
        toReach,
        earlier(firstOutput, first),
        later(lastOutput, last),
        firstStep,
        lastStep,
        caughtUp);
  }

  /** It told a step; the same one again is no news. */
  public ProgramRun stepped(ProgressStep step) {
    if (lastStep != null && lastStep.number() == step.number()) {
      return this;
    }
    boolean back = caughtUp == null && toReach >= 0 && step.number() >= toReach;
    return new ProgramRun(
        toReach,
        earlier(firstOutput, step.at()),
        later(lastOutput, step.at()),
        firstStep == null ? step : firstStep,
        step,
        back ? step.at() : caughtUp);
  }

  /** Two programs of one pod as one. */
  public ProgramRun and(ProgramRun other) {
    return new ProgramRun(
        Math.max(toReach, other.toReach),
        earlier(firstOutput, other.firstOutput),
        later(lastOutput, other.lastOutput),
        firstStep == null ? other.firstStep : firstStep,
        lastStep == null ? other.lastStep : lastStep,
        earlier(caughtUp, other.caughtUp));
  }

  /** The newest sign that it worked: its last step, else its last output. */
  public @Nullable Instant lastSign() {
    return lastStep == null ? lastOutput : lastStep.at();
  }

  private static @Nullable Instant earlier(@Nullable Instant a, @Nullable Instant b) {
    return a == null || (b != null && b.isBefore(a)) ? b : a;
  }

  private static @Nullable Instant later(@Nullable Instant a, @Nullable Instant b) {
    return a == null || (b != null && b.isAfter(a)) ? b : a;
  }
}
