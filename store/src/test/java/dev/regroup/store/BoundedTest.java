package dev.regroup.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Collections that forget what is too old or too much. */
class BoundedTest {

  private static final class HandClock implements InstantSource {
    private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");

    @Override
    public Instant instant() {
      return now;
    }

    private void pass(Duration time) {
      now = now.plus(time);
    }
  }

  private final HandClock clock = new HandClock();
  private final ForgetfulFiles files = new ForgetfulFiles();

  private Settings settings(int entries, Duration ttl) {
    var bounded =
        new Settings.Bounded(
            entries,
            ttl,
            (value, revision) ->
                (new String(value, UTF_8) + ", gone at " + revision).getBytes(UTF_8));
    return Settings.STANDARD.withClock(clock).withBounded("events", bounded);
  }

  @Test
  void the_oldest_go_when_there_are_too_many_and_watchers_see_it() throws Exception {
    try (var store = Store.open(files, settings(3, Duration.ofHours(1)));
        var cursor = store.watch("events", 0)) {
      for (int i = 1; i <= 3; i++) {
        StoreTest.committed(store.create("events", "a/" + i, StoreTest::stamped));
      }
      StoreTest.committed(store.update("events", "a/1", 1, StoreTest::stamped)); // now the newest
      StoreTest.committed(store.create("events", "a/4", StoreTest::stamped));

      assertThat(keys(store)).containsExactly("a/1", "a/3", "a/4");
      var last = changes(cursor).getLast();
      assertThat(last.type()).isEqualTo(Change.Type.DELETE);
      assertThat(last.key()).isEqualTo("a/2");
      assertThat(new String(last.value(), UTF_8)).isEqualTo("at 2, gone at 6");
    }
  }

  @Test
  void what_is_too_old_goes_with_the_next_write_also_after_a_restart() throws Exception {
    try (var store = Store.open(files, settings(100, Duration.ofHours(1)))) {
      StoreTest.committed(store.create("events", "a/old", StoreTest::stamped));
      clock.pass(Duration.ofMinutes(40));
      StoreTest.committed(store.create("events", "a/young", StoreTest::stamped));
    }
    clock.pass(Duration.ofMinutes(30));

    try (var store = Store.open(files, settings(100, Duration.ofHours(1)))) {
      StoreTest.committed(store.create("pods", "a/x", StoreTest::stamped));

      Eventually.holds("the old one is gone", () -> keys(store).equals(List.of("a/young")));
    }
    try (var store = Store.open(files, settings(100, Duration.ofHours(1)))) {
      assertThat(keys(store)).containsExactly("a/young");
    }
  }

  @Test
  void what_gets_too_old_goes_without_any_write() throws Exception {
    var settings = settings(100, Duration.ofMillis(50)).withClock(InstantSource.system());
    try (var store = Store.open(files, settings);
        var cursor = store.watch("events", 0)) {
      StoreTest.committed(store.create("events", "a/x", StoreTest::stamped));

      assertThat(((Change) cursor.next()).type()).isEqualTo(Change.Type.PUT);
      var gone = cursor.next(Duration.ofSeconds(20));
      assertThat(gone).isInstanceOf(Change.class);
      assertThat(((Change) gone).type()).isEqualTo(Change.Type.DELETE);
    }
  }

  @Test
  void the_age_of_an_entry_survives_a_snapshot() throws Exception {
    var settings = settings(100, Duration.ofHours(1)).withSnapshotAfter(1);
    try (var store = Store.open(files, settings)) {
      StoreTest.committed(store.create("events", "a/x", StoreTest::stamped));
      clock.pass(Duration.ofMinutes(30));
      var entry = StoreTest.committed(store.create("pods", "a/p", _ -> new byte[2_000]));
      for (int i = 0; i < 5; i++) {
        entry =
            StoreTest.committed(store.update("pods", "a/p", entry.revision(), _ -> new byte[100]));
      }
      Eventually.holds(
          "a snapshot was written",
          () -> files.list().stream().anyMatch(name -> name.matches("snapshot-[0-9a-f]+")));
    }
    clock.pass(Duration.ofMinutes(31));

    try (var store = Store.open(files, settings)) {
      Eventually.holds("it is gone", () -> keys(store).isEmpty());
    }
  }

  private static List<String> keys(Store store) {
    return store.list("events", "").entries().stream().map(Entry::key).toList();
  }

  private static List<Change> changes(Cursor cursor) throws InterruptedException {
    var changes = new ArrayList<Change>();
    while (cursor.next(Duration.ZERO) instanceof Change change) {
      changes.add(change);
    }
    return changes;
  }
}
