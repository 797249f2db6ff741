package dev.regroup.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real process, really killed in the middle of writing, round by round over one directory. What
 * it had said to be written is there, and at most the one write of each of its threads that it had
 * not; the numbers go on; and a watch shows the same writes in the same order. {@code
 * -Dkill.rounds=50} kills more often, {@code -Dregroup.seed} repeats when.
 */
class KillIT {

  static final int WRITERS = 4;
  static final Settings SETTINGS = Settings.STANDARD.withSnapshotAfter(64 << 10);

  private static final int ROUNDS = Integer.getInteger("kill.rounds", 10);
  private static final int MOST_LINES = 200;

  private record Write(Change.Type type, String key) {}

  /** A change as a watch shows it. */
  private record Shown(Write write, long revision, String value) {}

  @TempDir Path directory;

  private final NavigableMap<Long, Write> acknowledged = new TreeMap<>(); // of this round
  private Map<String, Long> found = new HashMap<>(); // by key, after the last round
  private long revision; // the same
  private int watched; // acknowledged writes that a watch has shown after the kill

  @Test
  void acknowledged_writes_survive_kill_9() throws Exception {
    long seed = Long.getLong("regroup.seed", System.nanoTime());
    var random = new Random(seed);
    int all = 0;
    for (int round = 1; round <= ROUNDS; round++) {
      acknowledged.clear();
      killOnce(1 + random.nextInt(MOST_LINES));
      all += acknowledged.size();
      try {
        verify(random);
      } catch (AssertionError e) {
        throw new AssertionError("round %d of -Dregroup.seed=%d".formatted(round, seed), e);
      }
    }
    assertThat(all).as("acknowledged").isGreaterThan(ROUNDS * 5);
    assertThat(watched).as("of %d seen by watches", all).isGreaterThan(all / 20);
  }

  private void killOnce(int lines) throws Exception {
    var process = writer();
    try (var output = process.inputReader()) {
      read(output, lines);
      assertHeld(process);
      process.toHandle().destroyForcibly(); // unlike the process itself, leaves its output open
      read(output, Integer.MAX_VALUE); // what it said before it died
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.waitFor()).isEqualTo(128 + 9);
  }

  private Process writer() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            KilledWriter.class.getName(),
            directory.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private void read(BufferedReader output, int lines) throws IOException {
    for (int i = 0; i < lines; i++) {
      var line = output.readLine();
      if (line == null) {
        return;
      }
      var words = line.split(" ", -1);
      if (words.length == 4 && words[3].equals(".")) { // else cut off by the kill
        var write = new Write(Change.Type.valueOf(words[0]), words[1]);
        var other = acknowledged.put(Long.parseLong(words[2]), write);
        assertThat(other).as("the same revision twice: %s", line).isNull();
      }
    }
  }

  private void assertHeld(Process process) {
    assertThatThrownBy(() -> Store.open(directory, Settings.STANDARD))
        .isInstanceOfSatisfying(
            DataDirectoryInUse.class, refusal -> assertThat(refusal.pid()).hasValue(process.pid()));
  }

  private void verify(Random random) throws Exception {
    assertThat(acknowledged).isNotEmpty();
    assertThat(acknowledged.firstKey()).as("no revision is used again").isGreaterThan(revision);
    try (var store = Store.open(directory, SETTINGS)) {
      assertThat(store.revision())
          .isBetween(acknowledged.lastKey(), acknowledged.lastKey() + WRITERS);
      verifyState(store);
      verifyWatches(store, random);
      revision = store.revision();
    }
  }

  /** What was there before and what was acknowledged; each thread may have written once more. */
  private void verifyState(Store store) {
    var expected = new HashMap<>(found);
    var latest = new HashMap<String, Long>(); // by thread
    acknowledged.forEach((at, write) -> {
      latest.put(thread(write.key()), at);
      if (write.type() == Change.Type.DELETE) {
        expected.remove(write.key());
      } else {
        expected.put(write.key(), at);
      }
    });
    found = new HashMap<>();
    for (var entry : store.list("things", "").entries()) {
      found.put(entry.key(), entry.revision());
      assertThat(new String(entry.value(), UTF_8)).startsWith(entry.revision() + " ");
    }

    var keys = new HashSet<>(expected.keySet());
    keys.addAll(found.keySet());
    keys.removeIf(key -> found.getOrDefault(key, 0L).equals(expected.getOrDefault(key, 0L)));
    assertThat(keys.stream().map(KillIT::thread).toList())
        .as("expected %s, found %s", expected, found)
        .doesNotHaveDuplicates();
    for (var key : keys) {
      assertThat(found.getOrDefault(key, Long.MAX_VALUE))
          .as("%s, expected at %s", key, expected.get(key))
          .isGreaterThan(latest.getOrDefault(thread(key), revision));
    }
  }

  private static String thread(String key) {
    return key.substring(0, key.indexOf('/'));
  }

  /** From the beginning of what is kept, from its end, and from somewhere between. */
  private void verifyWatches(Store store, Random random) throws InterruptedException {
    long oldest = oldest(store);
    long last = store.revision();
    var slice = changes(store, oldest);
    assertThat(slice.stream().map(Shown::revision).toList())
        .isEqualTo(LongStream.rangeClosed(oldest + 1, last).boxed().toList());
    for (var change : slice) {
      assertThat(change.value()).startsWith(change.revision() + " ");
      var write = acknowledged.get(change.revision());
      if (write != null) {
        assertThat(change.write()).isEqualTo(write);
        watched++;
      }
    }
    long between = oldest + random.nextLong(last - oldest + 1);
    for (long after : new long[] {between, last}) {
      assertThat(changes(store, after))
          .isEqualTo(slice.subList((int) (after - oldest), slice.size()));
    }
  }

  private static long oldest(Store store) throws InterruptedException {
    try (var cursor = store.watch("things", 0)) {
      return cursor.next(Duration.ZERO) instanceof CursorNews.Compacted(_, long oldest)
          ? oldest
          : 0;
    }
  }

  private static List<Shown> changes(Store store, long after) throws InterruptedException {
    var changes = new ArrayList<Shown>();
    try (var cursor = store.watch("things", after)) {
      var news = cursor.next(Duration.ZERO);
      while (news instanceof Change change) {
        changes.add(
            new Shown(
                new Write(change.type(), change.key()),
                change.revision(),
                new String(change.value(), UTF_8)));
        news = cursor.next(Duration.ZERO);
      }
      assertThat(news).isEqualTo(new CursorNews.Quiet(store.revision()));
    }
    return changes;
  }
}
