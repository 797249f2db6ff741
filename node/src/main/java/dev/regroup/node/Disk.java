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
 * the directory. All syncs happen on one platform thread, callers (virtual threads) wait.
 */
final class Disk {

  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().name("node-disk").daemon().factory());

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
    thread.close(); // waits for the write under way
  }

  private <T> void call(Callable<T> work) throws IOException, InterruptedException {
    try {
      thread.submit(work).get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IllegalStateException("write failed unexpectedly", e.getCause());
    }
  }
}
