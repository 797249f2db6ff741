package dev.regroup.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random histories of writes on files that forget, with a crash at every operation on them. Checked
 * against a model: what was acknowledged is there, the one write in doubt is there as a whole or
 * not at all, and the numbers go on.
 */
class CrashHistoryTest {

  private static final int SEEDS = 6;
  private static final int WRITES = 30;
  private static final Settings SETTINGS = Settings.STANDARD.withSnapshotAfter(600);
  private static final List<String> KEYS = List.of("a/1", "a/2", "a/3", "b/1", "b/2");

  /** What the writer knows: the state, and the write whose fate it was not told. */
  private static final class Model {
    private final TreeMap<String, String> acknowledged = new TreeMap<>();
    private final TreeMap<Long, Write> log = new TreeMap<>(); // what was written, by revision
    private int watched;
    private long revision;
    private @Nullable Write doubt;
  }

  /** What was written, or perhaps was; empty for a deletion. */
  private record Write(String key, Optional<String> value) {}

  @ParameterizedTest
  @EnumSource(ForgetfulFiles.Loss.class)
  void no_acknowledged_write_is_lost_whenever_the_crash_comes(ForgetfulFiles.Loss loss)
      throws Exception {
    int crashes = 0;
    int watched = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      for (int at = 1; ; at++) {
        var story = "loss %s, seed %d, crash at operation %d".formatted(loss, seed, at);
        var model = new Model();
        if (!survives(loss, seed, at, model, story)) {
          break; // the history ended before the crash came
        }
        crashes++;
        watched += model.watched;
      }
    }
    assertThat(crashes).isGreaterThan(SEEDS * WRITES * 2); // at least a write and a force each
    assertThat(watched).as("changes seen by watches after crashes").isGreaterThan(crashes * WRITES);
  }

  @ParameterizedTest
  @EnumSource(ForgetfulFiles.Loss.class)
  void what_a_restart_has_shown_survives_a_loss_of_power_after_it(ForgetfulFiles.Loss loss)
      throws Exception {
    for (int at = 1; at < 150; at++) {
      var story = "loss %s, killed at operation %d".formatted(loss, at);
      var random = new Random(at);
      var files = new ForgetfulFiles().crashingAt(at);
      write(files, new Model(), random, story);
      var afterKill = files.afterKill();

      long shown;
      try (var store = Store.open(afterKill, SETTINGS)) {
        shown = store.revision();
      }
      var afterPowerLoss = afterKill.afterCrash(loss, random);

      try (var store = Store.open(afterPowerLoss, SETTINGS)) {
        assertThat(store.revision()).as(story).isEqualTo(shown);
      }
    }
  }

  /** Crashes twice, the second time in the store that was recovered, and looks after each. */
  private static boolean survives(
      ForgetfulFiles.Loss loss, long seed, int at, Model model, String story) throws Exception {
    var random = new Random(seed);
    var files = new ForgetfulFiles().crashingAt(at);

    write(files, model, random, story);
    boolean crashed = files.crashed();
    var second = files.afterCrash(loss, new Random(seed * 1_000 + at));
    verify(second, model, story);
    write(second.crashingAt(1 + random.nextInt(60)), model, random, story + ", second life");
    verify(second.afterCrash(loss, new Random(seed * 7_000 + at)), model, story + ", second crash");
    return crashed;
  }

  private static void write(ForgetfulFiles files, Model model, Random random, String story)
      throws Exception {
    Store store;
    try {
      store = Store.open(files, SETTINGS);
    } catch (java.io.IOException e) {
      return; // the crash came while opening: nothing was written
    }
    try (store) {
      for (int i = 0; i < WRITES; i++) {
        if (!one(store, model, random, story)) {
          return;
        }
      }
    }
  }

  private static boolean one(Store store, Model model, Random random, String story)
      throws InterruptedException {
    var key = KEYS.get(random.nextInt(KEYS.size()));
    var current = store.get("things", key);
    boolean delete = current.isPresent() && random.nextInt(4) == 0;
    var padding = "x".repeat(random.nextInt(60));
    Encoder encoder = revision -> (revision + padding).getBytes(UTF_8);
    long next = store.revision() + 1;
    model.doubt = new Write(key, delete ? Optional.empty() : Optional.of(next + padding));
    try {
      WriteOutcome outcome;
      if (current.isEmpty()) {
        outcome = store.create("things", key, encoder);
      } else if (delete) {
        outcome = store.delete("things", key, current.get().revision(), encoder);
      } else {
        outcome = store.update("things", key, current.get().revision(), encoder);
      }
      assertThat(outcome).as(story).isInstanceOf(WriteOutcome.Committed.class);
      model.revision = ((WriteOutcome.Committed) outcome).entry().revision();
      model.log.put(model.revision, model.doubt);
      apply(model.acknowledged, model.doubt);
      model.doubt = null;
      return true;
    } catch (StoreFailure e) {
      return false;
    }
  }

  private static void apply(Map<String, String> state, Write write) {
    write.value().ifPresentOrElse(v -> state.put(write.key(), v), () -> state.remove(write.key()));
  }

  /** Opens a copy of the files, so that the look does not change them, and compares. */
  private static void verify(ForgetfulFiles files, Model model, String story) throws Exception {
    var copy = files.with("", new byte[0]);
    try (var store = Store.open(copy, SETTINGS)) {
      var found = new TreeMap<String, String>();
      for (var entry : store.list("things", "").entries()) {
        found.put(entry.key(), new String(entry.value(), UTF_8));
        assertThat(new String(entry.value(), UTF_8))
            .as(story)
            .startsWith(Long.toString(entry.revision()));
      }
      var without = new TreeMap<>(model.acknowledged);
      var with = new TreeMap<>(model.acknowledged);
      if (model.doubt != null) {
        apply(with, model.doubt);
      }
      if (store.revision() == model.revision) {
        assertThat(found).as(story).isEqualTo(without);
      } else {
        assertThat(store.revision()).as(story).isEqualTo(model.revision + 1);
        assertThat(model.doubt).as(story).isNotNull();
        assertThat(found).as(story).isEqualTo(with);
        model.log.put(store.revision(), model.doubt);
      }
      model.acknowledged.clear();
      model.acknowledged.putAll(found); // what was found is now the truth
      model.revision = store.revision();
      model.doubt = null;
      verifyWatch(store, model, story);
    }
  }

  /** From whatever revision: nothing but the word to list again, or all that was written since. */
  private static void verifyWatch(Store store, Model model, String story)
      throws InterruptedException {
    for (long after = 0; after <= store.revision(); after++) {
      try (var cursor = store.watch("things", after)) {
        var seen = new TreeMap<Long, Write>();
        CursorNews news = cursor.next(Duration.ZERO);
        while (news instanceof Change change) {
          var value =
              change.type() == Change.Type.DELETE
                  ? Optional.<String>empty()
                  : Optional.of(new String(change.value(), UTF_8));
          seen.put(change.revision(), new Write(change.key(), value));
          news = cursor.next(Duration.ZERO);
        }
        if (news instanceof CursorNews.Compacted) {
          assertThat(seen).as(story).isEmpty();
        } else {
          assertThat(seen).as(story).isEqualTo(model.log.tailMap(after, false));
          model.watched += seen.size();
        }
      }
    }
  }
}
