package dev.regroup.store;

import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * How much the store keeps at hand, and when it tidies up.
 *
 * @param ringChanges how many changes a watcher may lag behind, per collection
 * @param ringBytes the same as a limit of memory, per collection
 * @param snapshotAfter bytes of log below which no snapshot is taken; above, one is taken when the
 *     log is twice as large as the live data
 * @param bounded collections that forget
 * @param clock for the age of entries in bounded collections
 * @param pause after the disk refused, how long until the next write may try it again
 * @param syncs told how long each batch took to become durable; must return at once
 */
public record Settings(
    int ringChanges,
    long ringBytes,
    long snapshotAfter,
    Map<String, Bounded> bounded,
    InstantSource clock,
    Duration pause,
    Consumer<Duration> syncs) {

  /** 8,192 changes, 16 MiB per ring, 16 MiB of log; nothing is bounded; a second of pause. */
  public static final Settings STANDARD =
      new Settings(
          8_192,
          16L << 20,
          16L << 20,
          Map.of(),
          InstantSource.system(),
          Duration.ofSeconds(1),
          _ -> {});

  public Settings {
    bounded = Map.copyOf(bounded);
    Objects.requireNonNull(clock, "clock");
    Objects.requireNonNull(pause, "pause");
    Objects.requireNonNull(syncs, "syncs");
    if (ringChanges < 1) {
      throw new IllegalArgumentException("ringChanges: must be at least 1, got " + ringChanges);
    }
  }

  /**
   * A collection that keeps at most so many entries, none longer than {@code ttl} after its last
   * write; the oldest are deleted first, and watchers see it.
   *
   * @param lastValue makes the bytes of a deletion nobody asked for
   */
  public record Bounded(int entries, Duration ttl, LastValue lastValue) {

    public Bounded {
      Objects.requireNonNull(lastValue, "lastValue");
      if (entries < 1 || ttl.isNegative() || ttl.isZero()) {
        throw new IllegalArgumentException(
            "bounded: entries and ttl must be positive, got %d and %s".formatted(entries, ttl));
      }
    }
  }

  /** Stamps a stored value with the revision of its deletion. */
  @FunctionalInterface
  public interface LastValue {
    byte[] encode(byte[] value, long revision);
  }

  public Settings withBounded(String collection, Bounded limits) {
    var more = new HashMap<>(bounded);
    more.put(collection, limits);
    return new Settings(ringChanges, ringBytes, snapshotAfter, more, clock, pause, syncs);
  }

  public Settings withRing(int changes, long bytes) {
    return new Settings(changes, bytes, snapshotAfter, bounded, clock, pause, syncs);
  }

  public Settings withSnapshotAfter(long bytes) {
    return new Settings(ringChanges, ringBytes, bytes, bounded, clock, pause, syncs);
  }

  public Settings withClock(InstantSource newClock) {
    return new Settings(ringChanges, ringBytes, snapshotAfter, bounded, newClock, pause, syncs);
  }

  public Settings withSyncs(Consumer<Duration> listener) {
    return new Settings(ringChanges, ringBytes, snapshotAfter, bounded, clock, pause, listener);
  }

  public Settings withPause(Duration newPause) {
    return new Settings(ringChanges, ringBytes, snapshotAfter, bounded, clock, newPause, syncs);
  }
}
