package dev.regroup.sim.api;

import dev.regroup.client.ObjectKey;
import dev.regroup.client.informer.Delta;
import dev.regroup.client.informer.Item;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The copy of one kind that a client keeps, with the manners of the product's informer: a revision
 * it has is no news, another uid under the same name is another object, a list says who is gone.
 */
public final class Feed<V> implements VirtualWatch.Receiver {

  private final Function<Stored, V> reader;
  private final Predicate<Stored> filter;
  private final Consumer<Delta<V>> listener;
  private final VirtualWatch watch;
  private final TreeMap<ObjectKey, Item<V>> items = new TreeMap<>();
  private boolean synced;
  private Runnable afterList = () -> {};

  public Feed(
      Line line,
      Kind kind,
      Predicate<Stored> filter,
      Function<Stored, V> reader,
      Consumer<Delta<V>> listener) {
    this.reader = reader;
    this.filter = filter;
    this.listener = listener;
    this.watch = line.watch(kind, this);
  }

  /** Told after every list. */
  public Feed<V> afterList(Runnable action) {
    afterList = action;
    return this;
  }

  public void start() {
    watch.start();
  }

  /** The owner died: what it knew is gone. */
  public void stop() {
    watch.stop();
    items.clear();
    synced = false;
  }

  public boolean synced() {
    return synced;
  }

  public Optional<Item<V>> get(ObjectKey key) {
    return Optional.ofNullable(items.get(key));
  }

  public List<Item<V>> all() {
    return List.copyOf(items.values());
  }

  public List<Item<V>> find(Predicate<Item<V>> wanted) {
    return items.values().stream().filter(wanted).toList();
  }

  @Override
  public void listed(List<Stored> all) {
    var found = new HashSet<ObjectKey>();
    all.stream().filter(filter).forEach(one -> found.add(one.key()));
    for (var old : all()) {
      if (!found.contains(old.key())) {
        remove(old.key());
      }
    }
    synced = true;
    all.stream().filter(filter).forEach(this::changed);
    afterList.run();
  }

  @Override
  public void changed(Stored object) {
    if (!filter.test(object)) {
      return;
    }
    var old = items.get(object.key());
    if (old != null && !old.uid().equals(object.uid())) {
      remove(object.key());
      old = null;
    }
    var revision = Long.toString(object.version());
    if (old != null && old.resourceVersion().equals(revision)) {
      return;
    }
    var item = new Item<>(object.key(), object.uid(), revision, reader.apply(object));
    items.put(item.key(), item);
    listener.accept(old == null ? new Delta.Added<>(item) : new Delta.Updated<>(old, item));
  }

  @Override
  public void gone(Stored last) {
    var known = items.get(last.key());
    if (known != null && known.uid().equals(last.uid())) {
      remove(last.key());
    }
  }

  private void remove(ObjectKey key) {
    var old = items.remove(key);
    if (old != null) {
      listener.accept(new Delta.Removed<>(old));
    }
  }
}
