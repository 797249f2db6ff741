package dev.regroup.store;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The feeds of all collections. A feed appears with the first change or the first watcher of its
 * collection.
 */
final class Feeds {

  private final Map<String, Feed> feeds = new ConcurrentHashMap<>();
  private final Settings settings;
  private final long floor;
  private volatile long published;
  private volatile boolean ended;

  /**
   * @param floor the revision after which all changes will be published
   */
  Feeds(Settings settings, long floor) {
    this.settings = settings;
    this.floor = floor;
    this.published = floor;
  }

  /** Called by one thread, in order of revisions. */
  void publish(Map<String, List<Change>> changes, long revision) {
    changes.forEach((collection, batch) -> feed(collection).publish(batch));
    published = revision; // last: it promises that nothing up to here is missing
  }

  Cursor watch(String collection, String scope, long afterRevision) {
    var cursor = feed(collection).watch(scope, afterRevision);
    if (ended) {
      cursor.close(); // it may have come too late for end()
    }
    return cursor;
  }

  void end() {
    ended = true;
    feeds.values().forEach(Feed::end);
  }

  private Feed feed(String collection) {
    return feeds.computeIfAbsent(collection, _ -> new Feed(settings, floor, () -> published));
  }

  /** Sorts changes by collection, keeping their order. */
  static Map<String, List<Change>> byCollection(List<Batch.Write> writes) {
    var changes = new LinkedHashMap<String, List<Change>>();
    for (var write : writes) {
      changes
          .computeIfAbsent(write.record().collection(), _ -> new ArrayList<>())
          .add(write.change());
    }
    return changes;
  }
}
