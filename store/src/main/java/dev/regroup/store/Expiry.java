package dev.regroup.store;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which entries of bounded collections have to go: it keeps the time of each entry's last write, in
 * the order of the writes. Guarded by the committer's lock.
 */
final class Expiry {

  record Due(String collection, String key) {}

  /** When an entry was written: revisions tell apart what one millisecond saw. */
  record Written(long millis, long revision) {}

  private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

  private final Map<String, Settings.Bounded> limits;
  private final Map<String, LinkedHashMap<String, Written>> written = new HashMap<>();

  Expiry(Map<String, Settings.Bounded> limits) {
    this.limits = limits;
  }

  /** Returns when the write before was, null when there is none. */
  @Nullable Written note(LogRecord record) {
    if (!limits.containsKey(record.collection())) {
      return null;
    }
    var keys = written.computeIfAbsent(record.collection(), _ -> new LinkedHashMap<>());
    var before = keys.remove(record.key()); // so that it goes to the end
    if (record.type() == LogRecord.Type.PUT) {
      keys.put(record.key(), new Written(record.millis(), record.revision()));
    }
    return before;
  }

  /** Forgets the newest writes, in the order they were noted: the disk did not take them. */
  void undo(List<Batch.Write> writes) {
    var touched = new HashSet<String>();
    for (var write : writes.reversed()) {
      var collection = write.record().collection();
      var keys = written.get(collection);
      if (keys == null) {
        continue;
      }
      touched.add(collection);
      keys.remove(write.record().key());
      var before = write.previously();
      if (before != null) {
        keys.put(write.record().key(), before);
      }
    }
    touched.forEach(this::sort);
  }

  private void sort(String collection) {
    var sorted = new LinkedHashMap<String, Written>();
    written.getOrDefault(collection, sorted).entrySet().stream()
        .sorted(Map.Entry.comparingByValue(Comparator.comparingLong(Written::revision)))
        .forEachOrdered(entry -> sorted.put(entry.getKey(), entry.getValue()));
    written.put(collection, sorted);
  }

  /** What is too old or too much now, oldest first. */
  List<Due> due(long nowMillis) {
    var due = new ArrayList<Due>();
    written.forEach((collection, keys) -> {
      var limit = limit(collection);
      int tooMany = keys.size() - limit.entries();
      for (var entry : keys.entrySet()) {
        boolean tooOld = entry.getValue().millis() + limit.ttl().toMillis() <= nowMillis;
        if (!tooOld && tooMany <= 0) {
          break;
        }
        tooMany--;
        due.add(new Due(collection, entry.getKey()));
      }
    });
    return due;
  }

  /** How long until something gets too old; practically for ever when there is nothing. */
  Duration untilNext(long nowMillis) {
    return written.entrySet().stream()
        .filter(collection -> !collection.getValue().isEmpty())
        .map(collection -> {
          long oldest = collection.getValue().firstEntry().getValue().millis();
          return oldest + limit(collection.getKey()).ttl().toMillis() - nowMillis;
        })
        .min(Long::compare)
        .map(millis -> Duration.ofMillis(Math.max(1, millis)))
        .orElse(FOREVER);
  }

  /** When each entry was written, for a snapshot. */
  Map<Due, Long> times() {
    var times = new HashMap<Due, Long>();
    written.forEach((collection, keys) ->
        keys.forEach((key, at) -> times.put(new Due(collection, key), at.millis())));
    return times;
  }

  private Settings.Bounded limit(String collection) {
    var limit = limits.get(collection);
    if (limit == null) {
      throw new IllegalStateException("expiry: " + collection + " is not bounded");
    }
    return limit;
  }
}
