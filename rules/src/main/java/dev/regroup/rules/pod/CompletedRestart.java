package dev.regroup.rules.pod;

import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.progress.ProgramBreak;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * One restart of all containers of a pod that got them running again.
 *
 * @param cycle its number; the first restart of a pod is 1
 * @param moments what was reached when, at least {@link Moment#NOTICED} and {@link Moment#RUNNING}
 * @param program what it did to the program
 */
public record CompletedRestart(int cycle, Map<Moment, Instant> moments, ProgramBreak program) {

  public CompletedRestart {
    if (!isComplete(moments)) {
      throw new IllegalArgumentException("moments: not of a completed restart: " + moments);
    }
    var copy = new EnumMap<Moment, Instant>(Moment.class);
    copy.putAll(moments);
    moments = Collections.unmodifiableMap(copy);
  }

  /** Of whose program nothing was seen. */
  public CompletedRestart(int cycle, Map<Moment, Instant> moments) {
    this(cycle, moments, ProgramBreak.UNSEEN);
  }

  /** A first start was not triggered by anything, and a restart that was given up never runs. */
  public static boolean isComplete(Map<Moment, Instant> moments) {
    return moments.containsKey(Moment.NOTICED) && moments.containsKey(Moment.RUNNING);
  }

  public Instant began() {
    return Collections.min(moments.values());
  }
}
