package dev.regroup.store;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
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
 *   <li>When the disk refuses, every waiting writer is told so, its write is taken back, and so is
 *       every later one, without asking the disk; readers go on. After a pause one write may try
 *       the disk again; when it succeeds, all may. What may use the reserve of a full disk always
 *       tries. So a full disk costs no loop, two lines of log, and no restart.
 *   <li>When what was safe cannot be found any more, or this class has a bug, the store takes no
 *       write until it is opened again.
 * </ol>
 *
 * A refusal that rests on a write not yet on disk waits for it too, so that nobody acts on what may
 * be lost.
 */
final class Committer {

  private static final Logger LOG = LoggerFactory.getLogger(Committer.class);

  /** A batch may fail for a write that needed more room than this one. */
  private static final int TRIES_WITH_RESERVE = 3;

  private record Slot(String collection, String key) {}

  /** What is written where, and what it may demand and use. */
  record Target(LogRecord.Type type, String collection, String key, Demand demand, DiskRoom room) {
    Target {
      LogRecord.checkName(key); // here the writer alone hears of it; the disk would stop for all
    }
  }

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
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final String place;
  private final Thread disk;

  private Batch open = new Batch(); // guarded by lock
  private long nextRevision; // guarded by lock
  private boolean closing; // guarded by lock
  private long untilTry; // nanoseconds; guarded by lock
  private boolean mayTry; // guarded by lock
  private volatile @Nullable StoreFailure failure; // for good; written under lock
  private volatile @Nullable DiskRefused refusal; // for now; written under lock
  private volatile State state;

  Committer(Settings settings, Recovery recovered, Log log, Snapshots snapshots, String place) {
    this.settings = settings;
    this.place = place;
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

  Optional<StoreFailure> trouble() {
    var forGood = failure;
    return forGood == null ? Optional.ofNullable(refusal) : Optional.of(forGood);
  }

  void onTrouble(Runnable listener) {
    listeners.add(listener);
  }

  WriteOutcome write(Target target, Encoder encoder) throws StoreFailure, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        return writeOnce(target, encoder);
      } catch (DiskRefused e) {
        if (target.room() == DiskRoom.COMMON || !e.full() || attempt == TRIES_WITH_RESERVE) {
          throw e;
        }
      }
    }
  }

  private WriteOutcome writeOnce(Target target, Encoder encoder)
      throws StoreFailure, InterruptedException {
    var slot = new Slot(target.collection(), target.key());
    WriteOutcome outcome;
    @Nullable Batch awaited;
    lock.lock();
    try {
      refuseWhenBroken();
      var earlier = pending.get(slot);
      var current = current(slot, earlier);
      var refused = refusal(target.demand(), current);
      if (refused.isPresent()) {
        outcome = refused.get();
        awaited = earlier == null ? null : earlier.batch();
      } else {
        refuseWhenDiskDoes(target.room());
        outcome =
            new WriteOutcome.Committed(add(target.type(), slot, current, encoder, target.room()));
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

  private static Optional<WriteOutcome> refusal(Demand demand, Optional<Entry> current) {
    return switch (demand) {
      case Demand.Absent() -> current.map(WriteOutcome.Exists::new);
      case Demand.At(long revision) -> {
        if (current.isEmpty()) {
          yield Optional.of(new WriteOutcome.Missing());
        }
        yield current.get().revision() == revision
            ? Optional.empty()
            : Optional.of(new WriteOutcome.Changed(current.get()));
      }
    };
  }

  private Optional<Entry> current(Slot slot, @Nullable Pending earlier) {
    return earlier == null
        ? state.collection(slot.collection()).get(slot.key())
        : Optional.ofNullable(earlier.entry());
  }

  private Entry add(
      LogRecord.Type type, Slot slot, Optional<Entry> current, Encoder encoder, DiskRoom room) {
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
    var before = expiry.note(record);
    open.add(new Batch.Write(record, current.map(Entry::value).orElse(null), before), room);
    pending.put(slot, new Pending(type == LogRecord.Type.PUT ? entry : null, open));
    return entry;
  }

  /** Deletes what bounded collections have too much of, in the open batch. */
  private void sweep() {
    if (refusal != null && !mayTry) {
      return;
    }
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
            revision -> limit.lastValue().encode(value, revision),
            DiskRoom.COMMON);
        mayTry = false;
      }
    }
  }

  private void refuseWhenBroken() throws StoreFailure {
    var forGood = failure;
    if (forGood != null) {
      throw forGood.again();
    }
    if (closing) {
      throw new StoreFailure("store: closed", null);
    }
  }

  private void refuseWhenDiskDoes(DiskRoom room) throws StoreFailure {
    var now = refusal;
    if (now == null || (room == DiskRoom.RESERVE && now.full())) {
      return;
    }
    if (!mayTry) {
      throw now.again();
    }
    mayTry = false;
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
    var batch = new Batch();
    try {
      for (var next = take(); next != null; next = take()) {
        batch = next;
        if (append(batch)) {
          show(batch);
          snapshotWhenDue();
        }
      }
    } catch (StoreFailure | RuntimeException | Error e) {
      fail(batch, e);
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
        waited(work.awaitNanos(untilDuty()));
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

  /** How long without a write: until something gets too old, or until the end of the pause. */
  private long untilDuty() {
    return refusal != null && !mayTry
        ? untilTry
        : TimeUnit.NANOSECONDS.convert(expiry.untilNext(settings.clock().millis()));
  }

  private void waited(long left) {
    if (refusal != null && !mayTry) {
      untilTry = left;
      mayTry = left <= 0;
    }
  }

  /** Returns whether the disk has taken the batch. */
  private boolean append(Batch batch) throws StoreFailure {
    long began = System.nanoTime();
    try {
      log.append(batch.records(), batch.room());
      settings.syncs().accept(Duration.ofNanos(System.nanoTime() - began));
    } catch (IOException e) {
      takeBack(batch, refused(e));
      return false;
    }
    if (refusal != null && !log.full()) {
      taken();
      listeners.forEach(Runnable::run);
    }
    return true;
  }

  private void taken() {
    LOG.warn("{}: the disk takes writes again", place);
    lock.lock();
    try {
      refusal = null;
    } finally {
      lock.unlock();
    }
  }

  /** From now on writes are refused; said once, until they are taken again. */
  private DiskRefused refused(IOException cause) {
    boolean full = cause instanceof Log.NoRoom;
    var text =
        full
            ? "%s: the disk is full: %s (free some space on it, then writes go on by themselves;"
                + " reads and deletes work meanwhile)"
            : "%s: the disk refuses writes: %s (check it; writes go on by themselves when it takes"
                + " them again, reads work meanwhile)";
    var reason = new DiskRefused(text.formatted(place, cause.getMessage()), cause, full);
    boolean begins;
    lock.lock();
    try {
      begins = refusal == null;
      refusal = reason;
      untilTry = settings.pause().toNanos();
      mayTry = untilTry <= 0;
    } finally {
      lock.unlock();
    }
    if (begins) {
      LOG.warn("{}", reason.getMessage());
      listeners.forEach(Runnable::run);
    }
    return reason;
  }

  /** Nothing of these writes was shown: numbers and times go on as if they had never been. */
  private void takeBack(Batch batch, StoreFailure reason) {
    Batch next;
    lock.lock();
    try {
      next = open;
      open = new Batch();
      expiry.undo(next.writes());
      expiry.undo(batch.writes());
      pending.clear();
      nextRevision = state.revision() + 1;
    } finally {
      lock.unlock();
    }
    batch.fail(reason);
    next.fail(reason);
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

  private void snapshotWhenDue() {
    if (refusal != null || !snapshots.due(log.bytes(), state.bytes())) {
      return;
    }
    try {
      log.rotate(state.revision() + 1);
    } catch (IOException e) {
      refused(e);
      return;
    }
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
            "%s: no further writes are taken until it is opened again: %s"
                .formatted(place, cause.getMessage()),
            cause);
    LOG.error("The store takes no further writes until it is opened again", cause);
    lock.lock();
    try {
      failure = reason;
    } finally {
      lock.unlock();
    }
    takeBack(batch, reason);
    listeners.forEach(Runnable::run);
  }
}
