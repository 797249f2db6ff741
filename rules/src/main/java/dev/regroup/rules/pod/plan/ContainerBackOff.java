package dev.regroup.rules.pod.plan;

import dev.regroup.rules.pod.BackOffMemory;
import dev.regroup.rules.pod.BackOffMemory.Entry;
import dev.regroup.rules.pod.NodeSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * Crash-loop back-off (BKO-02, BKO-03, BKO-10): the first restart is at once; then 10 s, 20 s, 40 s
 * … up to the limit, measured from the exit. Works on a copy of the memory, which the plan returns.
 * Also asked by an agent that starts its worker again itself.
 */
public final class ContainerBackOff {
  /** An exit this long after the last grant starts from the beginning: 10 min. */
  static final Duration FORGOTTEN_AFTER = Duration.ofMinutes(10);

  /** In {@link Entry#until()}: this run's restart was granted, do not count it twice. */
  private static final Instant GRANTED = Instant.EPOCH;

  /**
   * When a start is due.
   *
   * @param delay the wait being served, zero for none
   * @param news whether the wait begins with this look, so that it is announced once
   */
  public record Due(Instant at, Duration delay, boolean news) {}

  private final NodeSettings settings;
  private final Instant now;
  private final Map<String, Entry> entries;

  public ContainerBackOff(BackOffMemory memory, NodeSettings settings, Instant now) {
    this.settings = settings;
    this.now = now;
    this.entries = new HashMap<>(memory.entries());
  }

  /**
   * Whose back-off: that of one container or of the pod (empty name).
   *
   * @param spell what another spell knows is forgotten (RAC-54); empty where there is only one
   */
  public record Key(String owner, String spell) {
    private static final String SEPARATOR = "\n@";

    @Override
    public String toString() {
      return spell.isEmpty() ? owner : owner + SEPARATOR + spell;
    }

    private boolean isOlder(String other) {
      return !spell.isEmpty()
          && !other.equals(toString())
          && (other.equals(owner) || other.startsWith(owner + SEPARATOR));
    }
  }

  /** Asks for the restart after the end of this run; a due one is granted and remembered. */
  public Due ask(Key whose, int run, Instant finishedAt) {
    entries.keySet().removeIf(whose::isOlder);
    var key = whose.toString();
    var entry = entries.get(key);
    if (entry != null && entry.waitsFor() == run) {
      if (entry.until().equals(GRANTED)) {
        return new Due(now, Duration.ZERO, false);
      }
      if (entry.until().isAfter(now)) {
        return new Due(entry.until(), entry.delay(), false);
      }
      return grant(key, run, doubled(entry.delay()));
    }
    var exit = finishedAt.isAfter(now) ? now : finishedAt; // a clock that runs ahead (BKO-10)
    if (entry == null || exit.isAfter(entry.grantedAt().plus(FORGOTTEN_AFTER))) {
      return grant(key, run, settings.backOffInitial());
    }
    var until = exit.plus(entry.delay());
    if (!until.isAfter(now)) {
      return grant(key, run, doubled(entry.delay()));
    }
    entries.put(key, new Entry(entry.delay(), entry.grantedAt(), run, until));
    return new Due(until, entry.delay(), true);
  }

  public BackOffMemory memory() {
    return new BackOffMemory(entries);
  }

  private Due grant(String key, int run, Duration next) {
    entries.put(key, new Entry(next, now, run, GRANTED));
    return new Due(now, Duration.ZERO, false);
  }

  private Duration doubled(Duration delay) {
    var twice = delay.multipliedBy(2);
    return twice.compareTo(settings.backOffMax()) > 0 ? settings.backOffMax() : twice;
  }

  /** As Go prints durations of whole seconds: {@code 10s}, {@code 1m20s}, {@code 5m0s}. */
  public static String text(Duration delay) {
    long seconds = delay.toSeconds();
    if (seconds < 60) {
      return seconds + "s";
    }
    if (seconds < 3600) {
      return seconds / 60 + "m" + seconds % 60 + "s";
    }
    return seconds / 3600 + "h" + seconds % 3600 / 60 + "m" + seconds % 60 + "s";
  }
}
