package dev.regroup.runtime.embedded.log;

import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.RunOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Arrays;

/** The output of a run as its log has it. */
record LoggedOutput(ContainerKey key, Path file, Instant first, Instant last, long size)
    implements RunOutput {

  @Override
  public byte[] newest(long after, int limit) throws IOException {
    long from = Math.max(after > size ? 0 : after, size - limit);
    var bytes = ByteBuffer.allocate((int) Math.max(0, size - from));
    try (var channel = FileChannel.open(file, StandardOpenOption.READ)) {
      while (bytes.hasRemaining()) {
        if (channel.read(bytes, from + bytes.position()) < 0) {
          break; // the program emptied its own output
        }
      }
    }
    return Arrays.copyOf(bytes.array(), bytes.position());
  }
}
