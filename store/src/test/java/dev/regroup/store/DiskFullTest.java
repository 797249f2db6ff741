package dev.regroup.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A disk that refuses for a while: full, or failing at any operation. */
class DiskFullTest {

  private static final Settings EAGER = Settings.STANDARD.withPause(Duration.ZERO);

  @Test
  void a_full_disk_refuses_creates_takes_deletes_and_all_go_on_when_there_is_room()
      throws Exception {
    var files = new ForgetfulFiles().limitedTo(3 << 20);
    try (var store = Store.open(files, EAGER)) {
      int written = fill(store);
      var changes = new AtomicInteger();
      store.onTrouble(changes::incrementAndGet);

      assertThat(store.trouble().orElseThrow())
          .hasMessageContaining("memory: the disk is full")
          .hasMessageContaining("free some space on it");
      var first = store.get("pods", "a/0").orElseThrow();
      StoreTest.committed(
          store.update("pods", "a/0", first.revision(), StoreTest::stamped, DiskRoom.RESERVE));
      for (int i = 1; i < written; i++) {
        var entry = store.get("pods", "a/" + i).orElseThrow();
        StoreTest.committed(
            store.delete("pods", entry.key(), entry.revision(), StoreTest::stamped));
      }
      assertThatThrownBy(() -> store.create("pods", "a/new", StoreTest::stamped))
          .isInstanceOf(DiskRefused.class);
      assertThat(changes).hasValue(0);

      files.limitedTo(Long.MAX_VALUE);

      Eventually.holds("writes go on", () -> creates(store, "a/new"));
      assertThat(store.trouble()).isEmpty();
      assertThat(changes).hasValue(1);
    }
    try (var store = Store.open(files, EAGER)) {
      assertThat(store.list("pods", "").entries())
          .extracting(Entry::key)
          .containsExactly("a/0", "a/new");
    }
  }

  @Test
  void deletes_are_tried_with_the_last_bytes_when_the_reserve_is_used_up() throws Exception {
    for (long left = 0; left < 400; left += 13) {
      var files = new ForgetfulFiles().limitedTo(3 << 20);
      var story = "%d bytes left".formatted(left);
      var gone = new ArrayList<String>();
      try (var store = Store.open(files, EAGER)) {
        int written = fill(store);
        var big = store.get("pods", "a/0").orElseThrow();
        while (useUp(store, big)) {
          big = store.get("pods", "a/0").orElseThrow();
        }
        files.limitedTo(left); // room a crash of bytes gives back, cut anywhere
        for (int i = 1; i < written; i++) {
          if (deletes(store, "a/" + i)) {
            gone.add("a/" + i);
          }
        }
        files.limitedTo(Long.MAX_VALUE);
        Eventually.holds("writes go on", () -> creates(store, "a/new"));
      }

      try (var store = Store.open(files, EAGER)) {
        assertThat(store.get("pods", "a/new")).as(story).isPresent();
        assertThat(store.get("pods", "a/0")).as(story).isPresent();
        assertThat(gone).as(story).noneMatch(key -> store.get("pods", key).isPresent());
      }
    }
  }

  /** At every operation of a store's life, and again while it repairs itself. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7})
  void what_the_disk_refuses_at_any_operation_is_told_and_taken_back(int refusals)
      throws Exception {
    boolean reached = true;
    for (int at = 1; reached; at++) {
      for (var loss : ForgetfulFiles.Loss.values()) {
        var story = "%d refused from operation %d on, %s".formatted(refusals, at, loss);
        var random = new Random(at);
        var files = new ForgetfulFiles();
        var model = new TreeMap<String, String>();
        try (var store = Store.open(files, EAGER.withSnapshotAfter(600))) {
          files.refusing(at, refusals);
          for (int i = 0; i < 40; i++) {
            write(store, model, random);
          }
          reached = files.refused();
          Eventually.holds(story + ": writes go on", () -> write(store, model, random));
          verify(store, model, story);
          try (var crashed = Store.open(files.afterCrash(loss, random), EAGER)) {
            verify(crashed, model, story + ", crashed");
          }
        }
      }
    }
  }

  /** Returns whether the disk took it; the model knows only what was acknowledged. */
  private static boolean write(Store store, TreeMap<String, String> model, Random random) {
    var key = "a/" + random.nextInt(5);
    var current = store.get("things", key);
    boolean delete = current.isPresent() && random.nextInt(4) == 0;
    var padding = "x".repeat(random.nextInt(60));
    Encoder encoder = revision -> (revision + padding).getBytes(UTF_8);
    try {
      var outcome =
          current.isEmpty()
              ? store.create("things", key, encoder)
              : delete
                  ? store.delete("things", key, current.get().revision(), encoder)
                  : store.update("things", key, current.get().revision(), encoder);
      var entry = StoreTest.committed(outcome);
      if (delete) {
        model.remove(key);
      } else {
        model.put(key, new String(entry.value(), UTF_8));
      }
      return true;
    } catch (DiskRefused e) {
      return false;
    } catch (StoreFailure | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void verify(Store store, TreeMap<String, String> model, String story) {
    var found = new TreeMap<String, String>();
    for (var entry : store.list("things", "").entries()) {
      found.put(entry.key(), new String(entry.value(), UTF_8));
      assertThat(found.get(entry.key())).as(story).startsWith(Long.toString(entry.revision()));
    }
    assertThat(found).as(story).isEqualTo(model);
  }

  @Test
  void entries_that_expire_do_so_at_their_time_although_the_disk_refused_in_between()
      throws Exception {
    var bounded =
        new Settings.Bounded(
            2, Duration.ofHours(1), (value, revision) -> StoreTest.stamped(revision));
    var files = new ForgetfulFiles();
    var settings =
        EAGER.withBounded("events", bounded).withClock(InstantSource.fixed(Instant.EPOCH));
    try (var store = Store.open(files, settings)) { // all in one millisecond
      StoreTest.committed(store.create("events", "a/1", StoreTest::stamped));
      StoreTest.committed(store.create("events", "a/2", StoreTest::stamped));
      files.refusing(1, 1);
      assertThatThrownBy(() -> store.create("events", "a/3", StoreTest::stamped))
          .isInstanceOf(DiskRefused.class);

      Eventually.holds(
          "writes go on",
          () -> {
            try {
              return store.create("events", "a/4", StoreTest::stamped)
                  instanceof WriteOutcome.Committed;
            } catch (StoreFailure | InterruptedException e) {
              return false;
            }
          });

      Eventually.holds(
          "the oldest has gone",
          () ->
              store.list("events", "").entries().stream()
                  .map(Entry::key)
                  .toList()
                  .equals(java.util.List.of("a/2", "a/4")));
    }
  }

  /** Returns how many fit: large ones first, then small ones. */
  private static int fill(Store store) throws InterruptedException {
    int written = 0;
    for (int size : new int[] {200_000, 2_000}) {
      while (creates(store, "a/" + written, size)) {
        written++;
      }
    }
    assertThat(written).as("some fit").isGreaterThan(1);
    return written;
  }

  private static boolean useUp(Store store, Entry entry) throws InterruptedException {
    try {
      store.update("pods", entry.key(), entry.revision(), _ -> new byte[99_999], DiskRoom.RESERVE);
      return true;
    } catch (StoreFailure e) {
      return false;
    }
  }

  private static boolean deletes(Store store, String key) throws InterruptedException {
    try {
      var entry = store.get("pods", key).orElseThrow();
      store.delete("pods", key, entry.revision(), StoreTest::stamped);
      return true;
    } catch (StoreFailure e) {
      return false;
    }
  }

  private static boolean creates(Store store, String key) {
    return creates(store, key, 10);
  }

  private static boolean creates(Store store, String key, int size) {
    try {
      return !(store.create("pods", key, _ -> new byte[size]) instanceof WriteOutcome.Missing);
    } catch (DiskRefused e) {
      return false;
    } catch (StoreFailure | InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
