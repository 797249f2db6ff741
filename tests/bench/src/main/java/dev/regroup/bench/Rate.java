package dev.regroup.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** How many writes of 2 KB a second go through, from sixteen clients that each wait for theirs. */
final class Rate {

  static final int CLIENTS = 16;
  static final int BYTES = 2048;

  static final int SLICE_WRITES = 800;
  static final int WARM_UP_SLICES = 5;

  /** One write; the number is never used twice. */
  interface Write {
    void perform(int number) throws Exception;
  }

  private Rate() {}

  /** A slice of writes by all clients: writes per second. */
  static double slice(Write write, AtomicInteger numbers) throws Exception {
    try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
      var running = new ArrayList<Future<?>>();
      long begin = System.nanoTime();
      for (int client = 0; client < CLIENTS; client++) {
        running.add(clients.submit(() -> writeShare(write, numbers)));
      }
      for (var one : running) {
        one.get();
      }
      return SLICE_WRITES / ((System.nanoTime() - begin) / 1e9);
    } catch (ExecutionException e) {
      throw new IllegalStateException("a client failed", e.getCause());
    }
  }

  /** Until the code is compiled: the first writes would say more about Java than about us. */
  static void warmUp(Write write, AtomicInteger numbers) throws Exception {
    for (int slice = 0; slice < WARM_UP_SLICES; slice++) {
      slice(write, numbers);
    }
  }

  private static int writeShare(Write write, AtomicInteger numbers) throws Exception {
    for (int i = 0; i < SLICE_WRITES / CLIENTS; i++) {
      write.perform(numbers.getAndIncrement());
    }
    return SLICE_WRITES / CLIENTS;
  }

  /** The floor: one append of all clients' bytes and one fdatasync, again and again. */
  static double diskSlice(Path file) throws IOException {
    try (var channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      var bytes = ByteBuffer.allocate(CLIENTS * BYTES);
      long begin = System.nanoTime();
      for (int i = 0; i < SLICE_WRITES / CLIENTS; i++) {
        bytes.rewind();
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
        channel.force(false);
      }
      return SLICE_WRITES / ((System.nanoTime() - begin) / 1e9);
    }
  }
}
