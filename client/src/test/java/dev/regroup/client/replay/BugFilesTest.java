package dev.regroup.client.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a worker saw comes back as it was, from files that only their owner may read. */
class BugFilesTest {

  enum Colour {
    RED,
    GREEN
  }

  sealed interface Choice {
    record Nothing() implements Choice {}

    record Some(String what, List<Choice> more) implements Choice {}
  }

  record Key(String namespace, int number) {}

  record Seen(
      String text,
      boolean truth,
      int number,
      long large,
      double share,
      @Nullable String absent,
      Colour colour,
      Choice choice,
      Instant time,
      Duration duration,
      Optional<Key> key,
      Optional<Key> none,
      OptionalInt attempt,
      OptionalInt noAttempt,
      Set<Colour> colours,
      Map<Colour, Duration> byColour,
      NavigableMap<Integer, List<Key>> byNumber,
      Map<Key, Choice> byKey) {}

  private static final IllegalStateException BUG = new IllegalStateException("planted");

  @TempDir Path folder;

  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final InstantSource clock = () -> now;

  @Test
  void what_was_seen_comes_back_as_it_was() throws Exception {
    var seen = seen();

    bugs().note("pod-ns/p", seen, BUG);

    assertThat(BugFiles.read(bugDirectory().resolve("pod-ns_p.json"), Seen.class)).isEqualTo(seen);
    assertThat(bugDirectory().resolve("pod-ns_p.json"))
        .content()
        .contains("IllegalStateException: planted", "BugFilesTest", "2026-01-01T00:00:00Z");
  }

  @Test
  void only_the_owner_may_read_it() throws Exception {
    bugs().note("w", new Key("a", 1), BUG);

    assertThat(rights(bugDirectory())).isEqualTo("rwx------");
    assertThat(rights(bugDirectory().resolve("w.json"))).isEqualTo("rw-------");
  }

  @Test
  void the_newest_of_each_worker_and_the_newest_ten_workers_stay() throws Exception {
    for (int i = 0; i < 15; i++) {
      now = now.plusSeconds(1);
      bugs().note("w" + i % 13, new Key("a", i), BUG);
    }

    try (var files = Files.list(bugDirectory())) {
      assertThat(files).hasSize(BugFiles.MOST);
    }
    assertThat(BugFiles.read(bugDirectory().resolve("w1.json"), Key.class).number()).isEqualTo(14);
    assertThat(bugDirectory().resolve("w4.json")).doesNotExist();
  }

  @Test
  void what_cannot_be_written_harms_nobody() throws Exception {
    Files.writeString(bugDirectory(), "in the way");

    bugs().note("w", new Key("a", 1), BUG);
    BugFiles.NONE.note("w", new Key("a", 1), BUG);

    assertThat(bugDirectory()).hasContent("in the way");
  }

  private Seen seen() {
    var byNumber = new TreeMap<Integer, List<Key>>(Map.of(-1, List.of(), 7, List.of(key(1))));
    var byKey = new LinkedHashMap<Key, Choice>();
    byKey.put(key(2), new Choice.Nothing());
    return new Seen(
        "t",
        true,
        3,
        1L << 40,
        0.5,
        null,
        Colour.GREEN,
        new Choice.Some("x", List.of(new Choice.Nothing(), new Choice.Some("y", List.of()))),
        Instant.MAX,
        Duration.ofMillis(1500),
        Optional.of(key(9)),
        Optional.empty(),
        OptionalInt.of(0),
        OptionalInt.empty(),
        Set.of(Colour.RED),
        Map.of(Colour.RED, Duration.ZERO),
        byNumber,
        byKey);
  }

  private static Key key(int number) {
    return new Key("ns", number);
  }

  private BugFiles bugs() {
    return BugFiles.in(bugDirectory(), clock);
  }

  private Path bugDirectory() {
    return folder.resolve("bugs");
  }

  private static String rights(Path path) throws Exception {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
