package dev.regroup.client.queue;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PriorityQueue;

/**
 * Which key is next: the decisions of a {@link WorkQueue} without thread or clock.
 *
 * <ul>
 *   <li>A key waits at most once. Adding it again changes nothing, except that urgent wins.
 *   <li>A key that runs is never handed out a second time; what comes in meanwhile makes it wait
 *       again when it is done.
 *   <li>A key has at most one future time, the earliest it was given.
 *   <li>Urgent keys go before others; within each kind the order is that of adding.
 * </ul>
 */
final class Schedule<K> {

  private record Later<K>(long due, long order, K key) {

    /** By the difference of the times, because a ticker may wrap around. */
    private static <K> int compare(Later<K> one, Later<K> other) {
      int byTime = Long.signum(one.due - other.due);
      return byTime == 0 ? Long.compare(one.order, other.order) : byTime;
    }
  }

  private final Map<K, Long> urgent = new LinkedHashMap<>(); // and since when it could run
  private final Map<K, Long> normal = new LinkedHashMap<>();
  private final Map<K, Long> running = new HashMap<>();
  private final Map<K, Priority> again = new HashMap<>();
  private final Map<K, Long> dueTimes = new HashMap<>();
  private final PriorityQueue<Later<K>> later = new PriorityQueue<>(Later::compare);
  private long order;

  enum Priority {
    NORMAL,
    URGENT
  }

  void add(K key, Priority priority, long now) {
    if (running.containsKey(key)) {
      again.merge(key, priority, (a, b) -> a == Priority.URGENT ? a : b);
      return;
    }
    switch (priority) {
      case URGENT -> {
        var since = normal.remove(key);
        urgent.putIfAbsent(key, since == null ? now : since);
      }
      case NORMAL -> {
        if (!urgent.containsKey(key)) {
          normal.putIfAbsent(key, now);
        }
      }
    }
  }

  void addAt(K key, long due) {
    var known = dueTimes.get(key);
    if (known != null && known - due <= 0) {
      return;
    }
    dueTimes.put(key, due);
    later.add(new Later<>(due, order++, key)); // an older, later time is skipped when it comes up
  }

  /** Hands out the next key that may run now; {@link #done} has to follow. */
  Optional<K> take(long now) {
    while (!later.isEmpty() && later.peek().due() - now <= 0) {
      var next = later.poll();
      if (dueTimes.remove(next.key(), next.due())) {
        add(next.key(), Priority.NORMAL, next.due());
      }
    }
    var from = urgent.isEmpty() ? normal : urgent;
    if (from.isEmpty()) {
      return Optional.empty();
    }
    var next = from.entrySet().iterator().next();
    var key = next.getKey();
    running.put(key, next.getValue());
    from.remove(key);
    return Optional.of(key);
  }

  /** Since when a key that runs could have run. */
  long readySince(K key) {
    return running.getOrDefault(key, 0L);
  }

  void done(K key, long now) {
    running.remove(key);
    var priority = again.remove(key);
    if (priority != null) {
      add(key, priority, now);
    }
  }

  /** When the next key becomes due, if none is ready. */
  OptionalLong nextDue() {
    return later.isEmpty() ? OptionalLong.empty() : OptionalLong.of(later.peek().due());
  }

  /** How many keys could run now. */
  int ready() {
    return urgent.size() + normal.size();
  }

  int running() {
    return running.size();
  }
}
