package dev.regroup.runtime.fabric;

import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.SyscallFailure;
import dev.regroup.runtime.process.Child;
import dev.regroup.runtime.process.Collector;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The thread {@code fabric-child}: waits for the one process a fabric starts, and collects it. */
final class HolderCollector implements Collector, AutoCloseable {

  private static final System.Logger LOG = System.getLogger(HolderCollector.class.getName());

  private final Fd stop = Linux.eventFd();
  private @Nullable Thread thread;

  HolderCollector() throws SyscallFailure {}

  @Override
  public synchronized void watch(Child child) {
    if (thread != null) {
      throw new IllegalStateException("a fabric has one holder");
    }
    thread = Thread.ofPlatform().name("fabric-child").daemon().start(() -> await(child));
  }

  private void await(Child child) {
    try {
      while (true) {
        if (Linux.awaitReadable(child.pidfd(), Duration.ZERO)) {
          child.collect();
          return;
        }
        if (Linux.awaitReadable(stop, Duration.ZERO)) {
          child.letGo();
          return;
        }
        Linux.awaitReadable(child.pidfd(), stop);
      }
    } catch (SyscallFailure e) {
      LOG.log(System.Logger.Level.ERROR, "the end of the fabric's holder will not be seen", e);
    }
  }

  /** Ends the thread; the holder may stay. Idempotent. */
  @Override
  public synchronized void close() {
    if (!stop.isOpen()) {
      return;
    }
    try {
      byte[] one = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(1).array();
      Linux.write(stop, one);
    } catch (SyscallFailure e) {
      throw new IllegalStateException("cannot end the thread fabric-child", e);
    }
    if (thread != null) {
      FabricThread.awaitEnd(thread);
    }
    stop.close();
  }
}
