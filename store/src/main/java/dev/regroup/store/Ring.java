package dev.regroup.store;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The most recent changes of a collection or of a part of it, in order of revisions. One thread
 * appends; any number of cursors read, each at its own place. When it is full the oldest change
 * goes, and a cursor that still needed it learns that by {@link CursorNews.Compacted}.
 *
 * <p>The lock is held for a few instructions only. A cursor waits on a condition of its own, so
 * that closing one of ten thousand wakes one.
 */
final class Ring {

  private final ReentrantLock lock = new ReentrantLock();
  private final Set<Place> waiting = new LinkedHashSet<>();
  private final int maxChanges;
  private final long maxBytes;
  private final LongSupplier published;

  private @Nullable Change[] slots = new @Nullable Change[16];
  private long first; // number of the oldest change held
  private long next; // number of the change to come
  private long bytes;
  private long floor; // changes up to this revision may be gone
  private boolean ended;

  /**
   * @param floor the revision up to which changes are not held
   * @param published up to which revision all changes have been appended
   */
  Ring(Settings settings, long floor, LongSupplier published) {
    this.maxChanges = settings.ringChanges();
    this.maxBytes = settings.ringBytes();
    this.floor = floor;
    this.published = published;
  }

  /** Appends without waking anyone: a batch is appended as a whole, see {@link #wake}. */
  void append(Change change) {
    lock.lock();
    try {
      if (next - first == maxChanges) {
        dropOldest();
      } else if (next - first == slots.length) {
        grow();
      }
      slots[slot(next++)] = change;
      bytes += size(change);
      while (bytes > maxBytes && next - first > 1) {
        dropOldest();
      }
    } finally {
      lock.unlock();
    }
  }

  void wake() {
    lock.lock();
    try {
      waiting.forEach(place -> place.moved.signal());
      waiting.clear();
    } finally {
      lock.unlock();
    }
  }

  void end() {
    lock.lock();
    try {
      ended = true;
    } finally {
      lock.unlock();
    }
    wake();
  }

  long floor() {
    lock.lock();
    try {
      return floor;
    } finally {
      lock.unlock();
    }
  }

  List<Change> changes() {
    lock.lock();
    try {
      var all = new ArrayList<Change>();
      for (long number = first; number < next; number++) {
        all.add(at(number));
      }
      return all;
    } finally {
      lock.unlock();
    }
  }

  private void grow() {
    var larger = new @Nullable Change[slots.length * 2];
    for (long number = first; number < next; number++) {
      larger[(int) (number & (larger.length - 1))] = at(number);
    }
    slots = larger;
  }

  private void dropOldest() {
    var oldest = at(first);
    slots[slot(first++)] = null;
    bytes -= size(oldest);
    floor = oldest.revision();
  }

  private long firstAfter(long revision) {
    long low = first;
    long high = next;
    while (low < high) {
      long middle = (low + high) >>> 1;
      if (at(middle).revision() <= revision) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private Change at(long number) {
    var change = slots[slot(number)];
    if (change == null) {
      throw new IllegalStateException("ring: change %d is not held".formatted(number));
    }
    return change;
  }

  private int slot(long number) {
    return (int) (number & (slots.length - 1)); // the length is a power of two
  }

  private static long size(Change change) {
    return change.value().length;
  }

  /** A cursor's place in this ring. */
  final class Place {
    private final Condition moved = lock.newCondition();
    private long position; // revision up to which everything is delivered
    private long number = -1; // of the change to look at next; -1: find it by the position
    private boolean closed;

    Place(long afterRevision) {
      this.position = afterRevision;
    }

    /**
     * Returns what comes next, waiting up to {@code nanos} for a change; {@code Long.MAX_VALUE} is
     * practically for ever.
     */
    CursorNews next(long nanos) throws InterruptedException {
      lock.lockInterruptibly();
      try {
        long left = nanos;
        while (true) {
          long progress = published.getAsLong(); // before looking, or it would promise too much
          var seen = look();
          if (seen != null) {
            return seen;
          }
          if (left <= 0) {
            return new CursorNews.Quiet(Math.max(position, progress));
          }
          waiting.add(this);
          try {
            left = moved.awaitNanos(left);
          } finally {
            waiting.remove(this); // still there after a timeout or an interrupt
          }
        }
      } finally {
        lock.unlock();
      }
    }

    private @Nullable CursorNews look() {
      if (closed || ended) {
        return new CursorNews.Ended();
      }
      if (position < floor) {
        return new CursorNews.Compacted(position, floor);
      }
      if (number < first) {
        number = firstAfter(position);
      }
      while (number < next) {
        var change = at(number++);
        if (change.revision() > position) {
          position = change.revision();
          return change;
        }
      }
      return null;
    }

    void close() {
      lock.lock();
      try {
        closed = true;
        moved.signal();
      } finally {
        lock.unlock();
      }
    }
  }
}
