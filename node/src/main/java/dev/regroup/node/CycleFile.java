package dev.regroup.node;

import dev.regroup.api.Wire;
import dev.regroup.rules.pod.RestartCycle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The durable record of RAC-07 of one pod. What {@link #cycle} returns is on disk: a write returns
 * only when file and name are synced. Belongs to the pod's worker.
 */
final class CycleFile {

  private static final Logger LOG = LoggerFactory.getLogger(CycleFile.class);

  private final Path file;
  private final Disk disk;
  private RestartCycle cycle;

  private CycleFile(Path file, Disk disk, RestartCycle cycle) {
    this.file = file;
    this.disk = disk;
    this.cycle = cycle;
  }

  /** Reads the record; one that is missing or unreadable counts as never written. */
  static CycleFile open(Path file, Disk disk) throws IOException {
    try {
      var tree = Wire.tree(Files.readAllBytes(file));
      return new CycleFile(file, disk, CycleJson.read(tree));
    } catch (NoSuchFileException e) {
      return new CycleFile(file, disk, RestartCycle.FIRST);
    } catch (com.fasterxml.jackson.core.JsonProcessingException
        | IllegalArgumentException
        | java.time.DateTimeException e) {
      LOG.warn("restart record {} cannot be read and is started anew: {}", file, e.getMessage());
      return new CycleFile(file, disk, RestartCycle.FIRST);
    }
  }

  RestartCycle cycle() {
    return cycle;
  }

  void write(RestartCycle next) throws IOException, InterruptedException {
    disk.write(file, Wire.write(CycleJson.write(next)));
    cycle = next;
  }
}
