package dev.regroup.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A log cut off or changed at every byte, and files that must not be repaired silently. */
class DamageTest {

  private static final int WRITES = 6;
  private static final String LOG = "log-0000000000000001";

  private final ForgetfulFiles files = new ForgetfulFiles();
  private final List<Integer> ends = new ArrayList<>(); // bytes of log after each write

  @BeforeEach
  void write() throws Exception {
    try (var store = Store.open(files, Settings.STANDARD)) {
      for (int i = 1; i <= WRITES; i++) {
        StoreTest.committed(store.create("pods", "a/" + i, StoreTest::stamped));
        ends.add(files.bytes(LOG).length);
      }
    }
  }

  @Test
  void a_log_cut_off_at_any_byte_keeps_all_whole_records_and_takes_new_ones() throws Exception {
    byte[] whole = files.bytes(LOG);
    for (int length = 0; length <= whole.length; length++) {
      var cut = files.with(LOG, Arrays.copyOf(whole, length));

      long kept = wholeRecords(length);
      assertKeeps(cut, kept, "cut off after %d bytes".formatted(length));
    }
  }

  @Test
  void a_log_changed_at_any_byte_keeps_all_records_before_it() throws Exception {
    byte[] whole = files.bytes(LOG);
    for (int at = RecordReader.HEADER; at < whole.length; at++) {
      byte[] changed = whole.clone();
      changed[at] ^= 0x10;

      assertKeeps(files.with(LOG, changed), wholeRecords(at), "changed at byte %d".formatted(at));
    }
  }

  private long wholeRecords(int length) {
    return ends.stream().filter(end -> end <= length).count();
  }

  private static void assertKeeps(ForgetfulFiles damaged, long kept, String story)
      throws Exception {
    try (var store = Store.open(damaged, Settings.STANDARD)) {
      assertThat(store.revision()).as(story).isEqualTo(kept);
      assertThat(store.list("pods", "").entries())
          .as(story)
          .extracting(entry -> entry.key() + " " + new String(entry.value(), UTF_8))
          .isEqualTo(LongStream.rangeClosed(1, kept).mapToObj(i -> "a/" + i + " at " + i).toList());
      StoreTest.committed(store.create("pods", "a/new", StoreTest::stamped));
    }
    try (var store = Store.open(damaged, Settings.STANDARD)) {
      assertThat(store.revision()).as(story).isEqualTo(kept + 1);
      assertThat(store.get("pods", "a/new")).as(story).isPresent();
    }
  }

  @Test
  void a_file_of_another_version_is_refused_and_left_alone() throws Exception {
    byte[] changed = files.bytes(LOG);
    changed[7]++;
    var other = files.with(LOG, changed);

    assertThatThrownBy(() -> Store.open(other, Settings.STANDARD))
        .isInstanceOf(StoreFailure.class)
        .hasMessageContaining("not a file of this version");
    assertThat(other.bytes(LOG)).isEqualTo(changed);
  }

  @Test
  void damage_before_the_last_segment_is_refused_because_acknowledged_writes_are_lost()
      throws Exception {
    var segmented = new ForgetfulFiles();
    var log = new Log(segmented);
    log.recover(0, _ -> {});
    log.append(List.of(record(1)), DiskRoom.COMMON);
    log.rotate(2);
    log.append(List.of(record(2)), DiskRoom.COMMON);
    log.close();
    byte[] first = segmented.bytes(LOG);

    var damaged = segmented.with(LOG, Arrays.copyOf(first, first.length - 1));

    assertThatThrownBy(() -> Store.open(damaged, Settings.STANDARD))
        .isInstanceOf(StoreFailure.class)
        .hasMessageContaining(LOG)
        .hasMessageContaining("damaged at byte 8");
  }

  @Test
  void a_missing_segment_is_refused() throws Exception {
    var segmented = new ForgetfulFiles();
    var log = new Log(segmented);
    log.recover(0, _ -> {});
    log.append(List.of(record(1)), DiskRoom.COMMON);
    log.rotate(2);
    log.append(List.of(record(2)), DiskRoom.COMMON);
    log.close();
    segmented.delete(LOG);

    assertThatThrownBy(() -> Store.open(segmented, Settings.STANDARD))
        .isInstanceOf(StoreFailure.class)
        .hasMessageContaining("revisions 1 to 1 are missing");
  }

  @Test
  void a_snapshot_cut_off_anywhere_is_refused() throws Exception {
    var state = State.EMPTY.with(List.of(record(1), record(2)));
    var snapshot = new ForgetfulFiles();
    Snapshot.write(snapshot, state, _ -> 0, () -> false);
    var name = snapshot.list().getFirst();
    byte[] whole = snapshot.bytes(name);
    for (int length = 0; length < whole.length; length++) {
      var damaged = snapshot.with(name, Arrays.copyOf(whole, length));

      assertThatThrownBy(() -> Store.open(damaged, Settings.STANDARD))
          .as("cut off after %d bytes", length)
          .isInstanceOf(StoreFailure.class)
          .hasMessageContaining(name);
    }
    try (var store = Store.open(snapshot, Settings.STANDARD)) {
      assertThat(store.revision()).isEqualTo(2);
    }
  }

  @Test
  void a_snapshot_takes_the_place_of_the_log_and_of_older_snapshots() throws Exception {
    var many = new ForgetfulFiles();
    long writes = 1;
    try (var store = Store.open(many, Settings.STANDARD.withSnapshotAfter(500))) {
      var entry = StoreTest.committed(store.create("pods", "a/x", StoreTest::stamped));
      // Snapshots are taken beside the writes: how many it takes until they keep up is open.
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (writes < 200 || size(many) > 5_000) {
        entry =
            StoreTest.committed(store.update("pods", "a/x", entry.revision(), StoreTest::stamped));
        writes++;
        assertThat(System.nanoTime()).as("the log is never cut").isLessThan(deadline);
      }
    }

    try (var store = Store.open(many, Settings.STANDARD)) { // 200 records are 11,000 bytes
      assertThat(store.revision()).isEqualTo(writes);
      var value = store.get("pods", "a/x").orElseThrow().value();
      assertThat(new String(value, UTF_8)).isEqualTo("at " + writes);
    }
  }

  private static long size(ForgetfulFiles files) throws IOException {
    long bytes = 0;
    for (var name : files.list()) {
      try {
        bytes += files.size(name);
      } catch (IOException e) {
        continue; // deleted meanwhile
      }
    }
    return bytes;
  }

  private static LogRecord record(long revision) throws IOException {
    return LogRecord.put(
        new Entry("pods", "a/" + revision, revision, revision, StoreTest.stamped(revision)), 0);
  }
}
