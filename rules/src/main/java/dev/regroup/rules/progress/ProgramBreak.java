package dev.regroup.rules.progress;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a restart did to the program of a pod, beside its moments.
 *
 * @param lastOutput when it wrote last before; null if it wrote nothing or nobody saw it
 * @param reached the step it was at, -1 if it told none
 * @param resumed the first step it told afterwards, -1 if none
 * @param warned whether it heard that it is to end; else it had ended, or was killed at once and
 *     could work until then
 */
public record ProgramBreak(
    @Nullable Instant lastOutput, long reached, long resumed, boolean warned) {

  public static final ProgramBreak UNSEEN = new ProgramBreak(null, -1, -1);

  public static final ProgramBreak UNWARNED = new ProgramBreak(null, -1, -1, false);

  /** Of a program that heard it, as far as is known. */
  public ProgramBreak(@Nullable Instant lastOutput, long reached, long resumed) {
    this(lastOutput, reached, resumed, true);
  }

  /** How many steps were done twice, as far as they were told; -1 if they were not. */
  public long redone() {
    return reached < 0 || resumed < 0 ? -1 : Math.max(0, reached - resumed + 1);
  }
}
