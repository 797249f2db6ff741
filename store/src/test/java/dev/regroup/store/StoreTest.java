package dev.regroup.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreTest {

  @TempDir Path directory;

  @Test
  void numbers_all_writes_with_one_counter_and_gives_the_number_to_the_encoder() throws Exception {
    try (var store = Store.open(directory, Settings.STANDARD)) {
      var pod = committed(store.create("pods", "a/x", StoreTest::stamped));
      var job = committed(store.create("jobs", "a/y", StoreTest::stamped));
      var changed = committed(store.update("pods", "a/x", pod.revision(), StoreTest::stamped));

      assertThat(List.of(pod.revision(), job.revision(), changed.revision()))
          .containsExactly(1L, 2L, 3L);
      assertThat(changed.createdRevision()).isEqualTo(1);
      assertThat(text(store.get("pods", "a/x").orElseThrow().value())).isEqualTo("at 3");
      assertThat(store.revision()).isEqualTo(3);
    }
  }

  @Test
  void refuses_what_was_not_expected_and_uses_no_number_for_it() throws Exception {
    try (var store = Store.open(directory, Settings.STANDARD)) {
      var first = committed(store.create("pods", "a/x", StoreTest::stamped));

      assertThat(store.create("pods", "a/x", StoreTest::stamped))
          .isEqualTo(new WriteOutcome.Exists(first));
      assertThat(store.update("pods", "a/x", 7, StoreTest::stamped))
          .isEqualTo(new WriteOutcome.Changed(first));
      assertThat(store.delete("pods", "a/x", 7, StoreTest::stamped))
          .isEqualTo(new WriteOutcome.Changed(first));
      assertThat(store.update("pods", "a/y", 1, StoreTest::stamped))
          .isEqualTo(new WriteOutcome.Missing());
      assertThat(store.revision()).isEqualTo(1);
    }
  }

  @Test
  void a_key_that_is_too_long_is_refused_and_other_writes_go_on() throws Exception {
    try (var store = Store.open(directory, Settings.STANDARD)) {
      assertThatThrownBy(() -> store.create("pods", "x".repeat(70_000), StoreTest::stamped))
          .isInstanceOf(IllegalArgumentException.class);

      assertThat(committed(store.create("pods", "a/x", StoreTest::stamped)).revision())
          .isEqualTo(1);
    }
  }

  @Test
  void an_encoder_that_throws_leaves_no_trace() throws Exception {
    try (var store = Store.open(directory, Settings.STANDARD)) {
      assertThatThrownBy(() ->
              store.create(
                  "pods",
                  "a/x",
                  _ -> {
                    throw new IllegalArgumentException("too deep");
                  }))
          .hasMessage("too deep");

      assertThat(committed(store.create("pods", "a/x", StoreTest::stamped)).revision())
          .isEqualTo(1);
    }
  }

  @Test
  void lists_are_sorted_snapshots_that_later_writes_do_not_change() throws Exception {
    try (var store = Store.open(directory, Settings.STANDARD)) {
      for (var key : List.of("b/2", "a/9", "b/1", "a-b/1", "b")) {
        committed(store.create("pods", key, StoreTest::stamped));
      }
      var before = store.list("pods", "");
      committed(store.delete("pods", "b/1", 3, StoreTest::stamped));
      committed(store.create("pods", "b/0", StoreTest::stamped));

      assertThat(keys(before)).containsExactly("a-b/1", "a/9", "b", "b/1", "b/2");
      assertThat(before.revision()).isEqualTo(5);
      assertThat(keys(store.list("pods", "b/"))).containsExactly("b/0", "b/2");
      assertThat(keys(store.list("pods", "c/"))).isEmpty();
      assertThat(keys(store.list("jobs", ""))).isEmpty();
    }
  }

  @Test
  void a_watch_gets_every_later_change_with_what_was_there_before() throws Exception {
    try (var store = Store.open(directory, Settings.STANDARD)) {
      committed(store.create("pods", "a/x", StoreTest::stamped));
      committed(store.update("pods", "a/x", 1, StoreTest::stamped));
      committed(store.create("jobs", "a/j", StoreTest::stamped));
      committed(store.delete("pods", "a/x", 2, StoreTest::stamped));

      try (var cursor = store.watch("pods", 1)) {
        var update = (Change) cursor.next();
        var delete = (Change) cursor.next();

        assertThat(update.type()).isEqualTo(Change.Type.PUT);
        assertThat(text(update.value())).isEqualTo("at 2");
        assertThat(text(update.previousValue())).isEqualTo("at 1");
        assertThat(delete.type()).isEqualTo(Change.Type.DELETE);
        assertThat(delete.revision()).isEqualTo(4);
        assertThat(text(delete.value())).isEqualTo("at 4");
        assertThat(text(delete.previousValue())).isEqualTo("at 2");
        assertThat(cursor.next(Duration.ZERO)).isEqualTo(new CursorNews.Quiet(4));
      }
    }
  }

  @Test
  void a_quiet_cursor_reports_progress_made_by_other_collections() throws Exception {
    try (var store = Store.open(directory, Settings.STANDARD);
        var cursor = store.watch("pods", 0)) {
      committed(store.create("jobs", "a/j", StoreTest::stamped));
      committed(store.create("jobs", "a/k", StoreTest::stamped));

      assertThat(cursor.next(Duration.ZERO)).isEqualTo(new CursorNews.Quiet(2));
    }
  }

  @Test
  void a_scoped_watch_sees_its_part_only_and_starts_in_the_past() throws Exception {
    try (var store = Store.open(directory, Settings.STANDARD)) {
      for (var key : List.of("a/x", "a/y", "ab/x", "a/x/z")) {
        committed(store.create("pods", key, StoreTest::stamped));
      }
      try (var namespace = store.watch("pods", "a/", 1);
          var one = store.watch("pods", "a/x", 0)) {
        committed(store.update("pods", "a/x", 1, StoreTest::stamped));
        committed(store.update("pods", "ab/x", 3, StoreTest::stamped));

        assertThat(drain(namespace)).containsExactly(2L, 4L, 5L);
        assertThat(drain(one)).containsExactly(1L, 5L);
      }
    }
  }

  @Test
  void a_cursor_that_is_too_slow_or_too_old_is_told_to_list_again() throws Exception {
    var small = Settings.STANDARD.withRing(4, 1 << 20);
    try (var store = Store.open(directory, small);
        var slow = store.watch("pods", 0)) {
      for (int i = 0; i < 6; i++) {
        committed(store.create("pods", "a/" + i, StoreTest::stamped));
      }

      assertThat(slow.next()).isEqualTo(new CursorNews.Compacted(0, 2));
      try (var old = store.watch("pods", 1);
          var justInTime = store.watch("pods", 2)) {
        assertThat(old.next()).isEqualTo(new CursorNews.Compacted(1, 2));
        assertThat(drain(justInTime)).containsExactly(3L, 4L, 5L, 6L);
      }
    }
  }

  @Test
  void a_ring_is_bounded_by_bytes_too() throws Exception {
    var small = Settings.STANDARD.withRing(1_000, 10);
    try (var store = Store.open(directory, small)) {
      for (int i = 0; i < 6; i++) {
        committed(store.create("pods", "a/" + i, _ -> new byte[4]));
      }

      try (var cursor = store.watch("pods", 3);
          var recent = store.watch("pods", 4)) {
        assertThat(cursor.next()).isEqualTo(new CursorNews.Compacted(3, 4));
        assertThat(drain(recent)).containsExactly(5L, 6L);
      }
    }
  }

  @Test
  void closing_a_cursor_or_the_store_wakes_who_waits() throws Exception {
    var store = Store.open(directory, Settings.STANDARD);
    var first = store.watch("pods", 0);
    var second = store.watch("pods", "a/", 0);
    var seen = new java.util.concurrent.LinkedBlockingQueue<CursorNews>();
    var threads =
        List.of(first, second).stream()
            .map(cursor -> Thread.ofVirtual().start(() -> seen.add(nextOf(cursor))))
            .toList();

    first.close();
    assertThat(seen.poll(10, java.util.concurrent.TimeUnit.SECONDS))
        .isEqualTo(new CursorNews.Ended());
    store.close();
    assertThat(seen.poll(10, java.util.concurrent.TimeUnit.SECONDS))
        .isEqualTo(new CursorNews.Ended());
    for (var thread : threads) {
      thread.join();
    }
    second.close();
    assertThatThrownBy(() -> store.create("pods", "a/x", StoreTest::stamped))
        .isInstanceOf(StoreFailure.class)
        .hasMessage("store: closed");
  }

  @Test
  void everything_is_there_after_a_restart_and_watches_go_on() throws Exception {
    try (var store = Store.open(directory, Settings.STANDARD)) {
      committed(store.create("pods", "a/x", StoreTest::stamped));
      committed(store.create("pods", "a/y", StoreTest::stamped));
      committed(store.update("pods", "a/x", 1, StoreTest::stamped));
      committed(store.delete("pods", "a/y", 2, StoreTest::stamped));
    }

    try (var store = Store.open(directory, Settings.STANDARD);
        var cursor = store.watch("pods", 1)) {
      assertThat(keys(store.list("pods", ""))).containsExactly("a/x");
      var entry = store.get("pods", "a/x").orElseThrow();
      assertThat(entry.revision()).isEqualTo(3);
      assertThat(entry.createdRevision()).isEqualTo(1);
      assertThat(drain(cursor)).containsExactly(2L, 3L, 4L);
      assertThat(committed(store.create("pods", "a/z", StoreTest::stamped)).revision())
          .isEqualTo(5);
    }
  }

  @Test
  void a_second_store_is_kept_out_and_told_by_whom() throws Exception {
    try (var store = Store.open(directory, Settings.STANDARD)) {
      assertThatThrownBy(() -> Store.open(directory, Settings.STANDARD))
          .isInstanceOf(DataDirectoryInUse.class)
          .hasMessageContaining(directory.toRealPath().toString())
          .hasMessageContaining(Long.toString(ProcessHandle.current().pid()));
      committed(store.create("pods", "a/x", StoreTest::stamped));
    }
    Store.open(directory, Settings.STANDARD).close();
  }

  @Test
  void files_are_for_their_owner_only() throws Exception {
    var data = directory.resolve("deep/data");
    try (var store = Store.open(data, Settings.STANDARD.withSnapshotAfter(100))) {
      for (int i = 0; i < 20; i++) {
        committed(store.create("pods", "a/" + i, StoreTest::stamped));
      }
    }

    assertThat(permissions(data)).isEqualTo("rwx------");
    try (var files = Files.list(data)) {
      assertThat(files)
          .isNotEmpty()
          .allSatisfy(file -> assertThat(permissions(file)).isEqualTo("rw-------"));
    }
  }

  static byte[] stamped(long revision) {
    return ("at " + revision).getBytes(UTF_8);
  }

  static Entry committed(WriteOutcome outcome) {
    assertThat(outcome).isInstanceOf(WriteOutcome.Committed.class);
    return ((WriteOutcome.Committed) outcome).entry();
  }

  static List<Long> drain(Cursor cursor) throws InterruptedException {
    var revisions = new ArrayList<Long>();
    while (cursor.next(Duration.ZERO) instanceof Change change) {
      revisions.add(change.revision());
    }
    return revisions;
  }

  private static CursorNews nextOf(Cursor cursor) {
    try {
      return cursor.next();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<String> keys(Listing listing) {
    return listing.entries().stream().map(Entry::key).toList();
  }

  private static String text(byte @org.jspecify.annotations.Nullable [] value) {
    return value == null ? "nothing" : new String(value, UTF_8);
  }

  private static String permissions(Path path) throws java.io.IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
