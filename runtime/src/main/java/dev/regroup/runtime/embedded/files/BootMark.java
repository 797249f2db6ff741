package dev.regroup.runtime.embedded.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Which start of the machine the process numbers in a directory come from. After a restart of the
 * machine they are other processes' numbers.
 */
public record BootMark(Path file) {

  private static final Path KERNEL = Path.of("/proc/sys/kernel/random/boot_id");

  /** Whether the machine runs since the mark was written; a missing mark is an older program's. */
  public boolean isCurrent() throws IOException {
    return !Files.exists(file) || Files.readString(file).strip().equals(kernel());
  }

  /** From now on the numbers are of this start. */
  public void write() throws IOException {
    Files.writeString(file, kernel() + "\n");
  }

  private static String kernel() throws IOException {
    return Files.readString(KERNEL).strip();
  }
}
