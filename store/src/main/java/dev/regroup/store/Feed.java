package dev.regroup.store;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The changes of one collection: one ring of all, and a ring for each part that is watched right
 * now, so that a watcher of one key costs nothing when others change. The rings share the changes.
 */
final class Feed {

  /** The scope of everything. */
  private static final String ALL = "";

  private final Map<String, Topic> topics = new HashMap<>(); // guarded by this
  private final Settings settings;
  private final LongSupplier published;
  private final Ring all;
  private boolean ended; // guarded by this

  Feed(Settings settings, long floor, LongSupplier published) {
    this.settings = settings;
    this.published = published;
    this.all = new Ring(settings, floor, published);
  }

  /** Appends a batch, then wakes whoever waits for any of it. Called by one thread, in order. */
  synchronized void publish(List<Change> changes) {
    var touched = new HashSet<Ring>();
    for (var change : changes) {
      all.append(change);
      if (!topics.isEmpty()) {
        append(change, namespace(change.key()), touched);
        append(change, change.key(), touched);
      }
    }
    all.wake();
    touched.forEach(Ring::wake);
  }

  private void append(Change change, String scope, Set<Ring> touched) {
    var topic = topics.get(scope);
    if (topic != null) {
      topic.ring.append(change);
      touched.add(topic.ring);
    }
  }

  synchronized Cursor watch(String scope, long afterRevision) {
    if (scope.equals(ALL)) {
      return new RingCursor(all.new Place(afterRevision), () -> {});
    }
    var topic = topics.computeIfAbsent(scope, this::topic);
    topic.watchers++;
    return new RingCursor(topic.ring.new Place(afterRevision), () -> leave(scope));
  }

  synchronized void end() {
    ended = true;
    all.end();
    topics.values().forEach(topic -> topic.ring.end());
  }

  private Topic topic(String scope) {
    var ring = new Ring(settings, all.floor(), published);
    for (var change : all.changes()) {
      if (scope.equals(change.key()) || scope.equals(namespace(change.key()))) {
        ring.append(change);
      }
    }
    if (ended) {
      ring.end();
    }
    return new Topic(ring);
  }

  private synchronized void leave(String scope) {
    var topic = topics.get(scope);
    if (topic != null && --topic.watchers == 0) {
      topics.remove(scope);
    }
  }

  /** The part of a key up to its first slash, with it; empty when it has none. */
  private static String namespace(String key) {
    return key.substring(0, key.indexOf('/') + 1);
  }

  private static final class Topic {
    private final Ring ring;
    private int watchers;

    private Topic(Ring ring) {
      this.ring = ring;
    }
  }

  private static final class RingCursor implements Cursor {
    private final Ring.Place place;
    private final Runnable leave;
    private boolean closed; // guarded by this

    private RingCursor(Ring.Place place, Runnable leave) {
      this.place = place;
      this.leave = leave;
    }

    @Override
    public CursorNews next(Duration timeout) throws InterruptedException {
      return place.next(TimeUnit.NANOSECONDS.convert(timeout));
    }

    @Override
    public CursorNews next() throws InterruptedException {
      return place.next(Long.MAX_VALUE);
    }

    @Override
    public synchronized void close() {
      if (!closed) {
        closed = true;
        place.close();
        leave.run();
      }
    }
  }
}
