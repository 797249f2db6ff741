package dev.regroup.store;

/** What a {@link Cursor} found. */
public sealed interface CursorNews
    permits Change, CursorNews.Quiet, CursorNews.Compacted, CursorNews.Ended {

  /**
   * Nothing new within the time given.
   *
   * @param progress every change up to this revision that concerns the cursor has been delivered
   */
  record Quiet(long progress) implements CursorNews {}

  /**
   * The changes after {@code position} are no longer all there: list again. The cursor is of no use
   * any more.
   *
   * @param oldest the oldest revision a watch may begin after
   */
  record Compacted(long position, long oldest) implements CursorNews {}

  /** The cursor or the store was closed. */
  record Ended() implements CursorNews {}
}
