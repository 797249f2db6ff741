package dev.regroup.store;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes writes durable, many with one sync.
 *
 * <ol>
 *   <li>A writer takes the lock, checks what it expects against the newest write of the key (which
 *       may not be on disk yet), takes a revision, puts its record into the open batch, and waits.
 *   <li>The thread {@code disk} takes the open batch, appends it to the log, syncs, and only then
 *       shows it: first to readers, then to watchers, then to the waiting writers. Meanwhile the
 *       next batch fills.
 *   <li>When the disk refuses, every waiting and every later writer is told so; readers go on.
 * </ol>
 *
 * A refusal that rests on a write not yet on disk waits for it too, so that nobody acts on what may
 * be lost.
 */
final class Committer {

  private static final Logger LOG = LoggerFactory.getLogger(Committer.class);

  private record Slot(String collection, String key) {}

  /** The newest write of a key that is not shown yet; no entry means that it was deleted. */
  private record Pending(@Nullable Entry entry, Batch batch) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition work = lock.newCondition();
  private final Map<Slot, Pending> pending = new HashMap<>(); // guarded by lock
  private final Settings settings;
  private final Log log;
  private final Feeds feeds;
  private final Snapshots snapshots;
  private final Expiry expiry; // guarded by lock
  private final Thread disk;

  private Batch open = new Batch(); // guarded by lock
  private long nextRevision; // guarded by lock
  private boolean closing; // guarded by lock
  private @Nullable StoreFailure failure; // guarded by lock
  private volatile State state;

  Committer(Settings settings, Recovery recovered, Log log, Snapshots snapshots) {
    this.settings = settings;
    this.state = recovered.state();
    this.feeds = recovered.feeds();
    this.expiry = recovered.expiry();
    this.nextRevision = state.revision() + 1;
    this.log = log;
    this.snapshots = snapshots;
    this.disk = Thread.ofPlatform().name("disk").daemon().start(this::run);
  }

  State state() {
    return state;
  }

  /** What a write demands of the key it writes. */
  sealed interface Demand {
    record Absent() implements Demand {}

    record At(long revision) implements Demand {}
  }

  Outcome write(LogRecord.Type type, String collection, String key, Demand demand, Encoder encoder)
      throws StoreFailure, InterruptedException {
    var slot = new Slot(collection, key);
    Outcome outcome;
    @Nullable Batch awaited;
    lock.lock();
    try {
      refuseWhenBroken();
      var earlier = pending.get(slot);
      var current = current(slot, earlier);
      var refusal = refusal(demand, current);
      if (refusal.isPresent()) {
        outcome = refusal.get();
        awaited = earlier == null ? null : earlier.batch();
      } else {
        outcome = new Outcome.Committed(add(type, slot, current, encoder));
        awaited = open;
        sweep();
        work.signal();
      }
    } finally {
      lock.unlock();
    }
    if (awaited != null) {
      awaited.await();
    }
    return outcome;
  }

  private static Optional<Outcome> refusal(Demand demand, Optional<Entry> current) {
    return switch (demand) {
      case Demand.Absent() -> current.map(Outcome.Exists::new);
      case Demand.At(long revision) -> {
        if (current.isEmpty()) {
          yield Optional.of(new Outcome.Missing());
        }
        yield current.get().revision() == revision
            ? Optional.empty()
            : Optional.of(new Outcome.Changed(current.get()));
      }
    };
  }

  private Optional<Entry> current(Slot slot, @Nullable Pending earlier) {
    return earlier == null
        ? state.collection(slot.collection()).get(slot.key())
        : Optional.ofNullable(earlier.entry());
  }

  private Entry add(LogRecord.Type type, Slot slot, Optional<Entry> current, Encoder encoder) {
    long revision = nextRevision;
    byte[] value = encoder.encode(revision);
    long created = current.map(Entry::createdRevision).orElse(revision);
    var entry = new Entry(slot.collection(), slot.key(), revision, created, value);
    var record =
        new LogRecord(
            type,
            slot.collection(),
            slot.key(),
            revision,
            created,
            settings.clock().millis(),
            value);
    nextRevision++; // from here on nothing can go wrong: no number is left out
    open.add(new Batch.Write(record, current.map(Entry::value).orElse(null)));
    pending.put(slot, new Pending(type == LogRecord.Type.PUT ? entry : null, open));
    expiry.note(record);
    return entry;
  }

  /** Deletes what bounded collections have too much of, in the open batch. */
  private void sweep() {
    for (var due : expiry.due(settings.clock().millis())) {
      var slot = new Slot(due.collection(), due.key());
      var current = current(slot, pending.get(slot));
      var limit = settings.bounded().get(due.collection());
      if (current.isPresent() && limit != null) {
        byte[] value = current.get().value();
        add(
            LogRecord.Type.DELETE,
            slot,
            current,
            revision -> limit.lastValue().encode(value, revision));
      }
    }
  }

  private void refuseWhenBroken() throws StoreFailure {
    if (failure != null) {
      throw new StoreFailure(failure);
    }
    if (closing) {
      throw new StoreFailure("store: closed", null);
    }
  }

  /** Finishes what was begun and ends the thread. */
  void close() {
    lock.lock();
    try {
      closing = true;
      work.signal();
    } finally {
      lock.unlock();
    }
    boolean interrupted = false;
    while (true) {
      try {
        disk.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true; // the sync under way ends soon, and must not be left alone
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    for (var batch = take(); batch != null; batch = take()) {
      try {
        log.append(batch.records());
        show(batch);
        snapshotWhenDue();
      } catch (IOException | RuntimeException | Error e) {
        fail(batch, e);
        return;
      }
    }
  }

  private @Nullable Batch take() {
    lock.lock();
    try {
      sweep();
      while (open.isEmpty()) {
        if (closing) {
          return null;
        }
        long nanos = TimeUnit.NANOSECONDS.convert(expiry.untilNext(settings.clock().millis()));
        var _ = work.awaitNanos(nanos);
        sweep();
      }
      var batch = open;
      open = new Batch();
      return batch;
    } catch (InterruptedException e) {
      throw new IllegalStateException("disk: nobody interrupts this thread", e);
    } finally {
      lock.unlock();
    }
  }

  private void show(Batch batch) {
    state = state.with(batch.records());
    feeds.publish(Feeds.byCollection(batch.writes()), state.revision());
    lock.lock();
    try {
      for (var write : batch.writes()) {
        var slot = new Slot(write.record().collection(), write.record().key());
        pending.computeIfPresent(slot, (_, newest) -> newest.batch() == batch ? null : newest);
      }
    } finally {
      lock.unlock();
    }
    batch.succeed();
  }

  private void snapshotWhenDue() throws IOException {
    if (!snapshots.due(log.bytes(), state.bytes())) {
      return;
    }
    log.rotate(state.revision() + 1);
    lock.lock();
    try {
      snapshots.begin(state, expiry.times());
    } finally {
      lock.unlock();
    }
  }

  private void fail(Batch batch, Throwable cause) {
    var reason =
        new StoreFailure(
            "store: no further writes are taken, the disk refused one: " + cause.getMessage(),
            cause);
    LOG.error(
        "The store takes no further writes until it is opened again: what is on disk is unknown",
        cause);
    lock.lock();
    try {
      failure = reason;
      pending.clear();
      open.fail(reason);
    } finally {
      lock.unlock();
    }
    batch.fail(reason);
  }
}
