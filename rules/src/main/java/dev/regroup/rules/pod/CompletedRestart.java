package dev.regroup.rules.pod;

import dev.regroup.rules.Stages.Moment;
import java.time.Instant;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * One restart of all containers of a pod that got them running again.
 *
 * @param cycle its number; the first restart of a pod is 1
 * @param moments what was reached when, at least {@link Moment#NOTICED} and {@link Moment#RUNNING}
 */
public record CompletedRestart(int cycle, Map<Moment, Instant> moments) {

  public CompletedRestart {
    if (!isComplete(moments)) {
      throw new IllegalArgumentException("moments: not of a completed restart: " + moments);
    }
    var copy = new EnumMap<Moment, Instant>(Moment.class);
    copy.putAll(moments);
    moments = Collections.unmodifiableMap(copy);
  }

  /** A first start was not triggered by anything, and a restart that was given up never runs. */
  public static boolean isComplete(Map<Moment, Instant> moments) {
    return moments.containsKey(Moment.NOTICED) && moments.containsKey(Moment.RUNNING);
  }

  public Instant began() {
    return Collections.min(moments.values());
  }
}
