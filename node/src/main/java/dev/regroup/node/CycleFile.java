package dev.regroup.node;

import dev.regroup.api.Wire;
import dev.regroup.rules.pod.RestartCycle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The durable record of RAC-07 of one pod. What {@link #cycle} returns is on disk: a write returns
 * only when it is synced. Belongs to the pod's worker.
 */
final class CycleFile {

  private static final Logger LOG = LoggerFactory.getLogger(CycleFile.class);

  private final DurableFile file;
  private final Disk disk;
  private Future<?> preparation = CompletableFuture.completedFuture(null);
  private RestartCycle cycle;

  private CycleFile(DurableFile file, Disk disk, RestartCycle cycle) {
    this.file = file;
    this.disk = disk;
    this.cycle = cycle;
  }

  /** Reads the record; one that is missing or unreadable counts as never written. */
  static CycleFile open(Path path, Disk disk) throws IOException {
    var file = DurableFile.open(path);
    return new CycleFile(file, disk, read(path, file));
  }

  private static RestartCycle read(Path path, DurableFile file) throws IOException {
    if (file.content().isEmpty()) {
      return RestartCycle.FIRST;
    }
    try {
      return CycleJson.read(Wire.tree(file.content().get()));
    } catch (com.fasterxml.jackson.core.JsonProcessingException
        | IllegalArgumentException
        | java.time.DateTimeException e) {
      LOG.warn("restart record {} cannot be read and is started anew: {}", path, e.getMessage());
      return RestartCycle.FIRST;
    }
  }

  RestartCycle cycle() {
    return cycle;
  }

  /** Makes the file while there is time; nobody waits for it before the first record. */
  void prepare() {
    preparation = disk.begin(file::prepare);
  }

  void write(RestartCycle next) throws IOException, InterruptedException {
    var begun = preparation;
    preparation = CompletableFuture.completedFuture(null);
    Disk.await(begun); // a failed one fails this write, the next tries again
    byte[] bytes = Wire.write(CycleJson.write(next));
    disk.run(() -> file.write(bytes));
    cycle = next;
  }
}
