package dev.regroup.rules.group;

import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Failures per attempt, those that happened first in front; of equal times the one that was seen
 * first. A change costs the logarithm of the failures of one attempt.
 */
final class Culprits {

  private record Entry(Instant at, long order, Failure failure) {
    static final Comparator<Entry> FIRST_IN_FRONT =
        Comparator.comparing(Entry::at).thenComparingLong(Entry::order);
  }

  private static final class Attempt {
    final TreeSet<Entry> inOrder = new TreeSet<>(Entry.FIRST_IN_FRONT);
    final Map<SlotId, Entry> bySlot = new HashMap<>();
  }

  private final Map<Integer, Attempt> attempts = new TreeMap<>();
  private long seen;

  void put(int attempt, Failure failure) {
    var list = attempts.computeIfAbsent(attempt, _ -> new Attempt());
    var at = Objects.requireNonNullElse(failure.sign().at(), Instant.MAX);
    var entry = new Entry(at, seen++, failure);
    var old = list.bySlot.put(failure.slot(), entry);
    if (old != null) {
      list.inOrder.remove(old);
    }
    list.inOrder.add(entry);
  }

  void remove(int attempt, SlotId slot) {
    var list = attempts.get(attempt);
    var old = list == null ? null : list.bySlot.remove(slot);
    if (list == null || old == null) {
      return;
    }
    list.inOrder.remove(old);
    if (list.inOrder.isEmpty()) {
      attempts.remove(attempt);
    }
  }

  /** The first of each attempt. */
  Map<Integer, Failure> first() {
    Map<Integer, Failure> first = new TreeMap<>();
    attempts.forEach((attempt, list) -> first.put(attempt, list.inOrder.first().failure()));
    return first;
  }

  void clear() {
    attempts.clear();
  }
}
