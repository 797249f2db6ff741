package dev.regroup.runtime.fabric;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Where the fabrics of this machine have their directories. A fabric whose program and holder were
 * killed has no link on the host that shows its range; its pods come back to their addresses only
 * if nobody took the range meanwhile. So every fabric is listed here from before its record is
 * written until it is removed, and its record tells its range. The list ends with the machine.
 */
record FabricList(Path folder) {

  private static final System.Logger LOG = System.getLogger(FabricList.class.getName());

  static final FabricList OF_THIS_MACHINE = new FabricList(Path.of("/run/regroup/fabrics"));

  /** Without a place in the list only a range that is in use is safe. */
  void add(Path directory) {
    try {
      OwnerFiles.directory(folder);
      OwnerFiles.write(entry(directory), directory + "\n");
    } catch (IOException e) {
      LOG.log(System.Logger.Level.DEBUG, "cannot list " + directory, e);
    }
  }

  void remove(Path directory) throws IOException {
    Files.deleteIfExists(entry(directory));
  }

  /** The ranges of all but one; entries of directories that are gone are taken out. */
  List<Subnet> ranges(Path except) throws IOException {
    var ranges = new ArrayList<Subnet>();
    if (!Files.isDirectory(folder)) {
      return ranges;
    }
    try (var entries = Files.newDirectoryStream(folder)) {
      for (Path entry : entries) {
        if (entry.equals(entry(except)) || OwnerFiles.unfinished(entry)) {
          continue;
        }
        var directory = OwnerFiles.read(entry).map(String::strip).map(Path::of);
        if (directory.isPresent() && !Files.isDirectory(directory.get())) {
          Files.deleteIfExists(entry);
        } else if (directory.isPresent()) {
          FabricRecord.read(directory.get().resolve(FabricInside.RECORD))
              .ifPresent(record -> ranges.add(record.subnet()));
        }
      }
    }
    return ranges;
  }

  private Path entry(Path directory) {
    byte[] name = directory.toString().getBytes(StandardCharsets.UTF_8);
    return folder.resolve(UUID.nameUUIDFromBytes(name).toString());
  }
}
