package dev.regroup.cli.local;

import dev.regroup.node.pod.RestartObserver;
import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.pod.PodSpec.PodId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Keeps the moments of the newest restarts of pods, for the summary of a run. */
public final class RestartLog implements RestartObserver {

  RestartLog() {}

  private record Key(String podUid, int epoch) {}

  /** One restart of one pod. */
  public record PodRestart(String podUid, Map<Moment, Instant> moments) {}

  /** Few runs have more; a cluster that stays up for months has, and nobody asks for the oldest. */
  static final int MOST = 10_000;

  private final Map<Key, Map<Moment, Instant>> restarts = // guarded by this
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Map<Moment, Instant>> eldest) {
          return size() > MOST;
        }
      };

  @Override
  public synchronized void reached(PodId pod, int epoch, Moment moment, Instant at) {
    restarts
        .computeIfAbsent(new Key(pod.uid(), epoch), _ -> new EnumMap<>(Moment.class))
        .putIfAbsent(moment, at);
  }

  synchronized List<PodRestart> restarts() {
    var copy = new ArrayList<PodRestart>();
    restarts.forEach(
        (key, moments) -> copy.add(new PodRestart(key.podUid(), new EnumMap<>(moments))));
    return copy;
  }
}
