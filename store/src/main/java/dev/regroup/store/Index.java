package dev.regroup.store;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * The entries of one collection, sorted by key. Immutable: a batch of writes makes a new one by one
 * copy of the references (4 bytes an entry), and a list is a view of the one it found.
 */
final class Index {

  static final Index EMPTY = new Index(new Entry[0], 0, 0);

  private final Entry[] entries;
  private final long bytes;
  private final long changes;

  private Index(Entry[] entries, long bytes, long changes) {
    this.entries = entries;
    this.bytes = bytes;
    this.changes = changes;
  }

  /** How many batches of writes made this index. */
  long changes() {
    return changes;
  }

  /** How many bytes the values have together. */
  long bytes() {
    return bytes;
  }

  Optional<Entry> get(String key) {
    int at = search(key);
    return at < 0 ? Optional.empty() : Optional.of(entries[at]);
  }

  List<Entry> startingWith(String prefix) {
    var all = Collections.unmodifiableList(Arrays.asList(entries));
    if (prefix.isEmpty()) {
      return all;
    }
    int from = position(prefix);
    int to = position(prefix + Character.MAX_VALUE);
    return all.subList(from, to);
  }

  /** Returns the index after these writes; an empty value removes the key. */
  Index with(SortedMap<String, Optional<Entry>> writes) {
    var result = new Entry[entries.length + writes.size()];
    long newBytes = bytes;
    int from = 0; // up to here the old entries are copied
    int to = 0;
    for (var write : writes.entrySet()) {
      int at = search(write.getKey());
      int position = at < 0 ? -at - 1 : at;
      System.arraycopy(entries, from, result, to, position - from);
      to += position - from;
      from = position;
      if (at >= 0) {
        newBytes -= entries[at].value().length;
        from++;
      }
      if (write.getValue().isPresent()) {
        var entry = write.getValue().get();
        newBytes += entry.value().length;
        result[to++] = entry;
      }
    }
    System.arraycopy(entries, from, result, to, entries.length - from);
    to += entries.length - from;
    return new Index(
        to == result.length ? result : Arrays.copyOf(result, to), newBytes, changes + 1);
  }

  private int position(String key) {
    int at = search(key);
    return at < 0 ? -at - 1 : at;
  }

  private int search(String key) {
    int low = 0;
    int high = entries.length - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = entries[middle].key().compareTo(key);
      if (order == 0) {
        return middle;
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return -low - 1;
  }
}
