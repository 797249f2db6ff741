package dev.regroup.store;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Everything as of one revision. Immutable, so that readers and a snapshot need no lock. */
record State(long revision, Map<String, Index> collections) {

  static final State EMPTY = new State(0, Map.of());

  Index collection(String name) {
    return collections.getOrDefault(name, Index.EMPTY);
  }

  /** Returns the state after these writes, which are in order and continue this state. */
  State with(List<LogRecord> records) {
    if (records.isEmpty()) {
      return this;
    }
    var writes = new HashMap<String, TreeMap<String, Optional<Entry>>>();
    for (var record : records) {
      var value =
          record.type() == LogRecord.Type.PUT
              ? Optional.of(record.entry())
              : Optional.<Entry>empty();
      writes
          .computeIfAbsent(record.collection(), _ -> new TreeMap<>())
          .put(record.key(), value); // the last write of a key wins
    }
    var next = new HashMap<>(collections);
    writes.forEach((name, changes) -> next.put(name, collection(name).with(changes)));
    return new State(records.getLast().revision(), next);
  }

  long bytes() {
    return collections.values().stream().mapToLong(Index::bytes).sum();
  }
}
