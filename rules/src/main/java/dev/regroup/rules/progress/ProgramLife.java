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
 */
public record ProgramLife(
    @Nullable Instant started,
    @Nullable Instant firstOutput,
    @Nullable Instant lastOutput,
    @Nullable ProgressStep step) {

  public static final ProgramLife UNSEEN = new ProgramLife(null, null, null, null);
}
