package dev.regroup.node;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;
import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Writes small files so that they survive a loss of power: temporary file, sync, rename, sync of
 * the directory. Callers (virtual threads) wait while a few platform threads do it. More than one:
 * a file system commits the syncs that wait together at once, so that the pods of a group that
 * restarts cost little more than one of them. Writes of one file must not overlap.
 */
final class Disk {

  private static final int THREADS = 16;

  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          THREADS, Thread.ofPlatform().name("node-disk-", 1).daemon().factory());

  void write(Path file, byte[] content) throws IOException, InterruptedException {
    call(() -> {
      var parent = file.getParent();
      if (parent == null) {
        throw new IOException("no directory above " + file);
      }
      Files.createDirectories(parent);
      var temporary = file.resolveSibling(file.getFileName() + ".new");
      try (var channel = FileChannel.open(temporary, CREATE, WRITE, TRUNCATE_EXISTING)) {
        var buffer = ByteBuffer.wrap(content);
        while (buffer.hasRemaining()) {
          channel.write(buffer);
        }
        channel.force(true);
      }
      Files.move(temporary, file, ATOMIC_MOVE, REPLACE_EXISTING);
      try (var directory = FileChannel.open(parent, READ)) {
        directory.force(true); // the new name itself
      }
      return file;
    });
  }

  void stop() {
    threads.close(); // waits for the writes under way
  }

  private <T> void call(Callable<T> work) throws IOException, InterruptedException {
    try {
      threads.submit(work).get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IllegalStateException("write failed unexpectedly", e.getCause());
    }
  }
}
