package dev.regroup.client.informer;

import dev.regroup.client.ObjectKey;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;

/**
 * Items by key and by named indexes. One thread writes, any thread reads; an index and the items
 * always agree. Everything comes out in the order of the keys.
 */
final class IndexedCache<S> {

  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
  private final TreeMap<ObjectKey, Item<S>> items = new TreeMap<>();
  private final Map<String, Index<S>> indexes = new LinkedHashMap<>();

  private record Index<S>(
      Function<? super Item<S>, ? extends Collection<String>> values,
      Map<String, TreeMap<ObjectKey, Item<S>>> found) {}

  /** Adds an index; only before the first item. */
  void index(String name, Function<? super Item<S>, ? extends Collection<String>> values) {
    if (indexes.putIfAbsent(name, new Index<>(values, new HashMap<>())) != null) {
      throw new IllegalArgumentException("index: there is already one named \"" + name + "\"");
    }
  }

  void put(Item<S> item) {
    lock.writeLock().lock();
    try {
      var old = items.put(item.key(), item);
      for (var index : indexes.values()) {
        var values = index.values().apply(item);
        if (old != null) {
          forget(old, index, values);
        }
        for (var value : values) {
          index.found().computeIfAbsent(value, _ -> new TreeMap<>()).put(item.key(), item);
        }
      }
    } finally {
      lock.writeLock().unlock();
    }
  }

  void remove(ObjectKey key) {
    lock.writeLock().lock();
    try {
      var old = items.remove(key);
      if (old != null) {
        for (var index : indexes.values()) {
          forget(old, index, List.of());
        }
      }
    } finally {
      lock.writeLock().unlock();
    }
  }

  /** Where the item stays, its successor takes its place: most changes move nothing. */
  private static <S> void forget(Item<S> old, Index<S> index, Collection<String> stays) {
    for (var value : index.values().apply(old)) {
      if (!stays.contains(value)) {
        index
            .found()
            .computeIfPresent(
                value,
                (_, keys) -> {
                  keys.remove(old.key());
                  return keys.isEmpty() ? null : keys;
                });
      }
    }
  }

  Optional<Item<S>> get(ObjectKey key) {
    lock.readLock().lock();
    try {
      return Optional.ofNullable(items.get(key));
    } finally {
      lock.readLock().unlock();
    }
  }

  List<Item<S>> all() {
    lock.readLock().lock();
    try {
      return List.copyOf(items.values());
    } finally {
      lock.readLock().unlock();
    }
  }

  List<Item<S>> find(String index, String value) {
    lock.readLock().lock();
    try {
      var found = named(index).found().get(value);
      return found == null ? List.of() : List.copyOf(found.values());
    } finally {
      lock.readLock().unlock();
    }
  }

  int count(String index, String value) {
    lock.readLock().lock();
    try {
      var found = named(index).found().get(value);
      return found == null ? 0 : found.size();
    } finally {
      lock.readLock().unlock();
    }
  }

  int size() {
    lock.readLock().lock();
    try {
      return items.size();
    } finally {
      lock.readLock().unlock();
    }
  }

  private Index<S> named(String name) {
    var index = indexes.get(name);
    if (index == null) {
      throw new IllegalArgumentException(
          "index: there is none named \"%s\", only %s".formatted(name, indexes.keySet()));
    }
    return index;
  }
}
