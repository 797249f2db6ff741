package dev.regroup.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

class FeedsTest {

  @Test
  void progress_is_promised_only_when_the_whole_batch_can_be_seen() throws Exception {
    var feeds = new Feeds(Settings.STANDARD, 0);
    try (var cursor = feeds.watch("pods", "", 0)) {
      var change = new Change(Change.Type.PUT, 2, "a/x", new byte[1], null);
      var batch = new Watched(cursor);
      batch.put("jobs", List.of(new Change(Change.Type.PUT, 1, "a/j", new byte[1], null)));
      batch.put("pods", List.of(change));

      feeds.publish(batch, 2);

      assertThat(batch.seenBefore).isEqualTo(new CursorNews.Quiet(0));
      assertThat(cursor.next(Duration.ZERO)).isEqualTo(change);
      assertThat(cursor.next(Duration.ZERO)).isEqualTo(new CursorNews.Quiet(2));
    }
  }

  /** Looks through the cursor at the moment when the batch is about to be appended. */
  private static final class Watched extends LinkedHashMap<String, List<Change>> {
    private final transient Cursor cursor;
    private transient CursorNews seenBefore = new CursorNews.Ended();

    private Watched(Cursor cursor) {
      this.cursor = cursor;
    }

    @Override
    public void forEach(BiConsumer<? super String, ? super List<Change>> action) {
      try {
        seenBefore = cursor.next(Duration.ZERO);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      super.forEach(action);
    }
  }
}
