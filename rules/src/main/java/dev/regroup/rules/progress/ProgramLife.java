package dev.regroup.rules.progress;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a pod tells of its program beside its restarts.
 *
 * @param started when all its containers ran for the first time
 * @param firstOutput when the first run wrote something
 * @param lastOutput the newest output, as of when this was told
 * @param step the newest step, as of when this was told
 * @param failed when a container of it failed last; a status has whole seconds only
 */
public record ProgramLife(
    @Nullable Instant started,
    @Nullable Instant firstOutput,
    @Nullable Instant lastOutput,
    @Nullable ProgressStep step,
    @Nullable Instant failed) {

  public static final ProgramLife UNSEEN = new ProgramLife(null, null, null, null, null);

  /** Of a program that has not failed. */
  public ProgramLife(
      @Nullable Instant started,
      @Nullable Instant firstOutput,
      @Nullable Instant lastOutput,
      @Nullable ProgressStep step) {
    this(started, firstOutput, lastOutput, step, null);
  }

  /** A time that a status tells, as exactly as this program's node does. */
  public Instant exactly(Instant told) {
    return failed != null && told.equals(Instant.ofEpochSecond(failed.getEpochSecond()))
        ? failed
        : told;
  }
}
