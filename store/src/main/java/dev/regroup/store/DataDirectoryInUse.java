package dev.regroup.store;

import java.nio.file.Path;
import java.util.OptionalLong;

/** Another store, of this process or another, holds the data directory. */
public final class DataDirectoryInUse extends StoreFailure {

  private final Path directory;
  private final OptionalLong pid;

  public DataDirectoryInUse(Path directory, OptionalLong pid) {
    super(
        pid.isPresent()
            ? "data directory %s: in use by process %d".formatted(directory, pid.getAsLong())
            : "data directory %s: in use by another process".formatted(directory),
        null);
    this.directory = directory;
    this.pid = pid;
  }

  public Path directory() {
    return directory;
  }

  /** The process that holds it, where it could be found out. */
  public OptionalLong pid() {
    return pid;
  }
}
