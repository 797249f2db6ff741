package dev.regroup.store;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** Writes that become durable together. Filled under the committer's lock, then only read. */
final class Batch {

  /**
   * One write, and what its key held before it.
   *
   * @param previously when the key was last written before, where that is kept
   */
  record Write(
      LogRecord record, byte @Nullable [] previousValue, Expiry.@Nullable Written previously) {

    Change change() {
      var type =
          switch (record.type()) {
            case PUT -> Change.Type.PUT;
            case DELETE -> Change.Type.DELETE;
            case END -> throw new IllegalStateException("the end of a snapshot is not a write");
          };
      return new Change(type, record.revision(), record.key(), record.value(), previousValue);
    }
  }

  private final List<Write> writes = new ArrayList<>();
  private final CountDownLatch settled = new CountDownLatch(1);
  private volatile @Nullable StoreFailure failure;
  private DiskRoom room = DiskRoom.RESERVE;

  void add(Write write, DiskRoom mayUse) {
    writes.add(write);
    if (mayUse == DiskRoom.COMMON) {
      room = DiskRoom.COMMON;
    }
  }

  /** What all of its writes may use. */
  DiskRoom room() {
    return room;
  }

  List<Write> writes() {
    return writes;
  }

  List<LogRecord> records() {
    return writes.stream().map(Write::record).toList();
  }

  boolean isEmpty() {
    return writes.isEmpty();
  }

  void succeed() {
    settled.countDown();
  }

  /** Fails the batch, unless it is already known to be on disk. */
  void fail(StoreFailure reason) {
    if (settled.getCount() == 0) {
      return;
    }
    failure = reason;
    settled.countDown();
  }

  /** Waits until the batch is on disk. */
  void await() throws StoreFailure, InterruptedException {
    settled.await();
    var reason = failure;
    if (reason != null) {
      throw reason.again(); // each waiter has a stack of its own
    }
  }
}
