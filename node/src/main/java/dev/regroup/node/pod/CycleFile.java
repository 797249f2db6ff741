package dev.regroup.node.pod;

import static java.util.Objects.requireNonNull;

import dev.regroup.api.Wire;
import dev.regroup.rules.pod.RestartCycle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The durable record of RAC-07 of one pod. What {@link #cycle} returns is on disk: a write returns
 * only when it is synced. Belongs to the pod's worker, who opens it first.
 */
public final class CycleFile {

  private static final Logger LOG = LoggerFactory.getLogger(CycleFile.class);

  private final Path path;
  private final NodeDisk disk;
  private @Nullable DurableFile file;
  private Future<?> preparation = CompletableFuture.completedFuture(null);
  private Future<?> last = preparation; // begun and perhaps not over
  private RestartCycle cycle = RestartCycle.FIRST;

  public CycleFile(Path path, NodeDisk disk) {
    this.path = path;
    this.disk = disk;
  }

  /** Reads the record; one that is missing or makes no sense counts as never written. */
  public void open() throws IOException {
    var opened = DurableFile.open(path);
    cycle = read(path, opened);
    file = opened;
  }

  private DurableFile opened() {
    return requireNonNull(file, "open the record first");
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

  public RestartCycle cycle() {
    return cycle;
  }

  /** Makes the file while there is time; nobody waits for it before the first record. */
  public void prepare() {
    preparation = begin(opened()::prepare);
  }

  public void write(RestartCycle next) throws IOException, InterruptedException {
    var begun = preparation;
    preparation = CompletableFuture.completedFuture(null);
    NodeDisk.await(begun); // a failed one fails this write, the next tries again
    byte[] bytes = Wire.write(CycleJson.write(next));
    NodeDisk.await(begin(() -> opened().write(bytes)));
    cycle = next;
  }

  private Future<?> begin(NodeDisk.Work work) {
    last = disk.begin(work);
    return last;
  }

  /**
   * Waits for what was begun by a worker that has left: a file that comes later would stay when the
   * pod's directory is gone.
   */
  public void close() throws InterruptedException {
    try {
      NodeDisk.await(last);
    } catch (IOException e) {
      LOG.debug("restart record {} was not written: {}", path, e.getMessage());
    }
  }
}
