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

/**
 * Keeps the moments of the newest restarts of pods, for the summary of a run, and how many each pod
 * had in all. Any thread.
 */
public final class RestartLog implements RestartObserver {

  public RestartLog() {}

  private record Key(String podUid, int epoch) {}

  /** One restart of one pod. */
  public record PodRestart(String podUid, Map<Moment, Instant> moments) {

    /** A first start was not triggered by anything, and a restart that was given up never runs. */
    public boolean isComplete() {
      return moments.containsKey(Moment.NOTICED) && moments.containsKey(Moment.RUNNING);
    }
  }

  /**
   * What was seen.
   *
   * @param newest the newest restarts, oldest first
   * @param cycles how many restarts each pod completed, also those that are forgotten, by its uid
   */
  public record Seen(List<PodRestart> newest, Map<String, Integer> cycles) {}

  /** Few runs have more; a cluster that stays up for months has, and nobody asks for the oldest. */
  public static final int MOST = 10_000;

  /** A count needs less room, and a run that loses one would tell it as something else. */
  static final int MOST_PODS = 100_000;

  private final Map<Key, Map<Moment, Instant>> restarts = newest(MOST); // guarded by this
  private final Map<String, Integer> cycles = newest(MOST_PODS); // guarded by this

  private static <K, V> Map<K, V> newest(int most) {
    return new LinkedHashMap<>() {
      @Override
      protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > most;
      }
    };
  }

  @Override
  public synchronized void reached(PodId pod, int epoch, Moment moment, Instant at) {
    var moments =
        restarts.computeIfAbsent(new Key(pod.uid(), epoch), _ -> new EnumMap<>(Moment.class));
    boolean isNew = moments.putIfAbsent(moment, at) == null;
    if (isNew && moment == Moment.RUNNING && new PodRestart(pod.uid(), moments).isComplete()) {
      cycles.merge(pod.uid(), 1, Integer::sum);
    }
  }

  public synchronized Seen seen() {
    var copy = new ArrayList<PodRestart>();
    restarts.forEach(
        (key, moments) -> copy.add(new PodRestart(key.podUid(), new EnumMap<>(moments))));
    return new Seen(copy, Map.copyOf(cycles));
  }
}
