package dev.regroup.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many writers and watchers at once: no watch skips, repeats or goes back. */
class WatchConcurrencyTest {

  private static final int WRITERS = 8;
  private static final int WRITES = 400;
  private static final int SMALL_RING = 8;
  private static final List<String> SCOPES = List.of("", "a/", "b/", "a/1", "b/2");

  @TempDir Path directory;

  @Test
  void every_watch_sees_exactly_the_changes_of_its_scope_in_order() throws Exception {
    var all = new ConcurrentSkipListMap<Long, String>(); // revision → key
    var end = new AtomicLong(Long.MAX_VALUE);
    try (var store = Store.open(directory, Settings.STANDARD);
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var watches = new ArrayList<Future<Void>>();
      for (int i = 0; i < 20; i++) {
        var scope = SCOPES.get(i % SCOPES.size());
        watches.add(threads.submit(() -> follow(store, scope, all, end)));
      }
      var writes = new ArrayList<Future<Void>>();
      for (int i = 0; i < WRITERS; i++) {
        writes.add(threads.submit(writer(store, i, all)));
      }
      for (var write : writes) {
        write.get();
      }
      end.set(store.revision());
      for (var watch : watches) {
        watch.get();
      }
      assertThat(all).hasSize((int) store.revision());
    }
  }

  private static Void follow(Store store, String scope, Map<Long, String> all, AtomicLong end)
      throws Exception {
    var seen = new TreeMap<Long, String>();
    long start = store.revision();
    long last = start;
    try (var cursor = store.watch("pods", scope, start)) {
      while (last < end.get()) {
        switch (cursor.next(Duration.ofMillis(20))) {
          case Change change -> {
            assertThat(change.revision()).isGreaterThan(last);
            last = change.revision();
            seen.put(last, change.key());
            assertThat(store.revision()).isGreaterThanOrEqualTo(last); // readers know it already
          }
          case CursorNews.Quiet(long progress) -> {
            assertThat(progress).isGreaterThanOrEqualTo(last);
            last = progress;
          }
          case CursorNews.Compacted c -> throw new AssertionError(c.toString());
          case CursorNews.Ended e -> throw new AssertionError(e.toString());
        }
      }
    }
    var expected = new TreeMap<Long, String>();
    all.forEach((revision, key) -> {
      if (revision > start && key.startsWith(scope)) {
        expected.put(revision, key);
      }
    });
    assertThat(seen).as("scope %s after %d", scope, start).isEqualTo(expected);
    return null;
  }

  @Test
  void a_watcher_that_lists_again_when_told_to_ends_with_the_same_state() throws Exception {
    var all = new ConcurrentSkipListMap<Long, String>();
    var end = new AtomicLong(Long.MAX_VALUE);
    var relists = new AtomicLong();
    try (var store = Store.open(directory, Settings.STANDARD.withRing(SMALL_RING, 1 << 20));
        var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      var watching = new CountDownLatch(1);
      var mirror = threads.submit(() -> mirror(store, end, relists, watching));
      watching.await();
      var writes = new ArrayList<Future<Void>>();
      for (int i = 0; i < WRITERS; i++) {
        writes.add(threads.submit(writer(store, i, all)));
      }
      for (var write : writes) {
        write.get();
      }
      end.set(store.revision());

      var expected = new TreeMap<String, Long>();
      store.list("pods", "").entries().forEach(e -> expected.put(e.key(), e.revision()));
      assertThat(mirror.get()).isEqualTo(expected);
      assertThat(relists.get()).isGreaterThan(1);
    }
  }

  private static Map<String, Long> mirror(
      Store store, AtomicLong end, AtomicLong relists, CountDownLatch watching) throws Exception {
    var state = new TreeMap<String, Long>();
    long last = -1;
    while (last < end.get()) {
      relists.incrementAndGet();
      state.clear();
      var listing = store.list("pods", "");
      listing.entries().forEach(e -> state.put(e.key(), e.revision()));
      last = listing.revision();
      try (var cursor = store.watch("pods", last)) {
        if (relists.get() == 1) {
          watching.countDown();
          awaitMoreThanTheRingHolds(store, last);
        }
        last = mirror(cursor, state, last, end);
      }
    }
    return state;
  }

  private static void awaitMoreThanTheRingHolds(Store store, long after)
      throws InterruptedException {
    // Readers see a batch before the ring has it, and no batch has more than one write of each.
    long shown = after + SMALL_RING + WRITERS;
    Eventually.holds("the ring has moved on", () -> store.revision() > shown);
  }

  private static long mirror(Cursor cursor, Map<String, Long> state, long from, AtomicLong end)
      throws InterruptedException {
    long last = from;
    while (last < end.get()) {
      Thread.sleep(Duration.ofMillis(1)); // slower than the writers, so that the ring moves on
      switch (cursor.next(Duration.ofMillis(20))) {
        case Change(Change.Type type, long revision, String key, _, _) -> {
          last = revision;
          switch (type) {
            case PUT -> state.put(key, revision);
            case DELETE -> state.remove(key);
          }
        }
        case CursorNews.Quiet(long progress) -> last = progress;
        case CursorNews.Compacted _ -> {
          return last;
        }
        case CursorNews.Ended e -> throw new AssertionError(e.toString());
      }
    }
    return last;
  }

  private static Callable<Void> writer(Store store, int number, Map<Long, String> all) {
    return () -> {
      var random = new Random(number);
      for (int i = 0; i < WRITES; ) {
        var key = (random.nextBoolean() ? "a/" : "b/") + random.nextInt(4);
        var current = store.get("pods", key);
        var outcome =
            current.isEmpty()
                ? store.create("pods", key, StoreTest::stamped)
                : random.nextInt(3) == 0
                    ? store.delete("pods", key, current.get().revision(), StoreTest::stamped)
                    : store.update("pods", key, current.get().revision(), StoreTest::stamped);
        if (outcome instanceof WriteOutcome.Committed(Entry entry)) {
          all.put(entry.revision(), key);
          i++;
        }
      }
      return null;
    };
  }
}
