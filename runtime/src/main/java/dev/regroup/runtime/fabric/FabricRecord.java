package dev.regroup.runtime.fabric;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;

/**
 * What one data directory's fabric is called and where its pods live. Written before the kernel is
 * asked for anything, so that whatever exists after a crash can be found by it.
 */
record FabricRecord(Subnet subnet, String hostLink) {
  private static final int LONGEST_LINK_NAME = 15; // the kernel's limit

  FabricRecord {
    if (hostLink.isEmpty() || hostLink.length() > LONGEST_LINK_NAME) {
      throw new IllegalArgumentException(
          "link name: must have 1 to 15 characters, got \"" + hostLink + "\"");
    }
  }

  /** A fresh record; the link's name is random because every instance has one on the host. */
  static FabricRecord fresh(Subnet subnet, RandomGenerator random) {
    return new FabricRecord(subnet, "regroup" + HexFormat.of().toHexDigits(random.nextInt(), 7));
  }

  static Optional<FabricRecord> read(Path file) throws IOException {
    return OwnerFiles.read(file).flatMap(FabricRecord::parse);
  }

  void write(Path file) throws IOException {
    OwnerFiles.write(file, subnet + " " + hostLink + "\n");
  }

  private static Optional<FabricRecord> parse(String text) {
    List<String> words = List.of(text.strip().split(" "));
    if (words.size() != 2) {
      return Optional.empty();
    }
    try {
      return Optional.of(new FabricRecord(Subnet.parse(words.get(0)), words.get(1)));
    } catch (IllegalArgumentException torn) {
      return Optional.empty();
    }
  }
}
