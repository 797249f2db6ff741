package dev.regroup.cli.local;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.time.Duration;
import java.util.Optional;
import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;

/**
 * Keeps the heap near what is in use. The serial collector would rather let the old generation grow
 * than look into it, so a burst of a thousand agents would leave hundreds of megabytes behind. Here
 * the machine says when the old generation has grown by half of what was in use after the last full
 * collection, and a full one is asked for, which gives memory back. Nothing happens below a floor,
 * nor twice within a few seconds.
 */
final class HeapTrim implements AutoCloseable, NotificationListener {

  private static final long FLOOR = 96L << 20; // 96 MiB
  private static final long ROOM = 48L << 20; // 48 MiB
  private static final long APART = Duration.ofSeconds(3).toNanos();

  private final NotificationEmitter memory =
      (NotificationEmitter) ManagementFactory.getMemoryMXBean();
  private final Optional<MemoryPoolMXBean> old = old();
  private long last = System.nanoTime() - APART; // only the thread that tells

  private HeapTrim() {}

  static HeapTrim start() {
    var trim = new HeapTrim();
    trim.old.ifPresent(pool -> {
      trim.memory.addNotificationListener(trim, null, null);
      pool.setUsageThreshold(Math.min(FLOOR, most(pool)));
    });
    return trim;
  }

  /** The one that only a full collection looks into. */
  private static Optional<MemoryPoolMXBean> old() {
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getType() == MemoryType.HEAP && pool.isUsageThresholdSupported())
        .findFirst();
  }

  @Override
  public void handleNotification(Notification notification, Object handback) {
    old.ifPresent(this::trim);
  }

  private void trim(MemoryPoolMXBean pool) {
    if (System.nanoTime() - last > APART) {
      System.gc();
      last = System.nanoTime();
    }
    long used = pool.getUsage().getUsed();
    long next = Math.max(FLOOR, used + Math.max(ROOM, used / 2));
    pool.setUsageThreshold(Math.min(next, most(pool)));
  }

  private static long most(MemoryPoolMXBean pool) {
    long most = pool.getUsage().getMax();
    return most < 0 ? Long.MAX_VALUE : most;
  }

  @Override
  public void close() {
    try {
      memory.removeNotificationListener(this);
    } catch (ListenerNotFoundException e) {
      return; // there is nothing that could be trimmed
    }
  }
}
