package dev.regroup.store;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What was found on disk: the newest snapshot and the log after it. The changes in the log go into
 * the feeds again, so that a watcher from before the restart can go on.
 */
record Recovery(State state, Feeds feeds, Expiry expiry) {

  /** Records applied to the state together: the state is copied once for so many. */
  private static final int STRIDE = 4_096;

  static Recovery read(FileLayer files, Log log, Settings settings)
      throws IOException, StoreFailure {
    files.forceDirectory(); // names found here may not be safe yet, and others are deleted for them
    Snapshot.tidy(files);
    var expiry = new Expiry(settings.bounded());
    var entries = new ArrayList<LogRecord>();
    long revision = Snapshot.read(files, entries::add);
    entries.sort(Comparator.comparingLong(LogRecord::revision)); // oldest first, to expire
    entries.forEach(expiry::note);
    var replay =
        new Replay(
            new State(revision, State.EMPTY.with(entries).collections()),
            new Feeds(settings, revision),
            expiry);
    entries.clear();
    log.recover(revision, replay::add);
    replay.apply();
    return new Recovery(replay.state, replay.feeds, expiry);
  }

  private static final class Replay {
    private final List<LogRecord> gathered = new ArrayList<>();
    private final Feeds feeds;
    private final Expiry expiry;
    private State state;

    private Replay(State state, Feeds feeds, Expiry expiry) {
      this.state = state;
      this.feeds = feeds;
      this.expiry = expiry;
    }

    private void add(LogRecord record) {
      gathered.add(record);
      if (gathered.size() == STRIDE) {
        apply();
      }
    }

    private void apply() {
      if (gathered.isEmpty()) {
        return;
      }
      var writes = new ArrayList<Batch.Write>();
      var newest = new HashMap<String, LogRecord>(); // within these records
      for (var record : gathered) {
        var before = expiry.note(record);
        var earlier = newest.put(record.collection() + '\0' + record.key(), record);
        writes.add(new Batch.Write(record, previous(record, earlier), before));
      }
      state = state.with(gathered);
      feeds.publish(Feeds.byCollection(writes), state.revision());
      gathered.clear();
    }

    private byte @Nullable [] previous(LogRecord record, @Nullable LogRecord earlier) {
      if (earlier != null) {
        return earlier.type() == LogRecord.Type.PUT ? earlier.value() : null;
      }
      return state.collection(record.collection()).get(record.key()).map(Entry::value).orElse(null);
    }
  }
}
