package dev.regroup.runtime.embedded.log;

import dev.regroup.runtime.linux.Fd;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.SyscallFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The hole at the front of a file that only grows: its oldest part, given back to the file system.
 * The file's length and every offset stay, so a writer never notices. The hole itself says where it
 * ends; nothing else has to be kept, and nothing can contradict it.
 *
 * <p>Where blocks are larger than ours a rest of zeros stays between the hole and the data. It has
 * no newline, so it belongs to the cut line behind the hole, which is not read.
 */
public final class LogHole {

  /** The block of nearly every file system: 4 KiB. */
  public static final int BLOCK = 4096;

  private LogHole() {}

  /** The offset rounded down to whole blocks. */
  static long blocks(long offset) {
    return offset / BLOCK * BLOCK;
  }

  /** Where the hole ends; 0 without one. */
  public static long end(Path file) throws IOException {
    long size = Files.size(file);
    if (size <= BLOCK) {
      return 0; // no whole block could be gone
    }
    try (Fd fd = Linux.open(file, Linux.O_RDONLY, 0)) {
      return Linux.nextData(fd, 0).orElse(size);
    }
  }

  /** Makes a hole from the beginning to this offset. */
  static void punch(Path file, long end) throws SyscallFailure {
    try (Fd fd = Linux.open(file, Linux.O_WRONLY, 0)) {
      Linux.punchHole(fd, 0, end);
    }
  }
}
