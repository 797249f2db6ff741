package dev.regroup.node.progress;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells programs when the file changes that they may write their step into. */
final class ProgressFiles implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ProgressFiles.class);

  private final Map<PodProgram, WatchKey> keys = new ConcurrentHashMap<>();
  private final Map<WatchKey, PodProgram> programs = new ConcurrentHashMap<>();
  private @Nullable WatchService service; // made with the first file; guarded by this
  private boolean closed; // guarded by this

  /** From now on; a file that is watched already is no news. */
  synchronized void watch(PodProgram program, Path file) {
    var folder = file.getParent();
    if (closed || folder == null || keys.containsKey(program)) {
      return;
    }
    try {
      var key = folder.register(opened(), StandardWatchEventKinds.ENTRY_MODIFY);
      keys.put(program, key);
      programs.put(key, program);
    } catch (IOException e) { // its steps stay unknown, nothing else does
      LOG.warn("cannot watch {}: {}", file, e.getMessage());
    }
  }

  boolean watches(PodProgram program) {
    return keys.containsKey(program);
  }

  synchronized void forget(PodProgram program) {
    var key = keys.remove(program);
    if (key != null) {
      programs.remove(key);
      key.cancel();
    }
  }

  private WatchService opened() throws IOException {
    var known = service;
    if (known != null) {
      return known;
    }
    var made = FileSystems.getDefault().newWatchService();
    service = made;
    Thread.ofPlatform().daemon().name("progress-files").start(() -> run(made));
    return made;
  }

  private void run(WatchService watched) {
    try {
      while (true) {
        var key = watched.take();
        key.pollEvents();
        key.reset();
        var program = programs.get(key);
        if (program != null) {
          program.fileChanged();
        }
      }
    } catch (ClosedWatchServiceException e) {
      return; // the node ends
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (service != null) {
      try {
        service.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
