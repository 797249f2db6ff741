package dev.regroup.bench.outside;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * An API server in processes of its own: what its clients wait for is measured here, what it costs
 * is asked of the kernel.
 */
public interface ServerOutside extends AutoCloseable {

  OutsideClients clients();

  /** How long its threads have run, all together. */
  Duration cpu();

  /** What it holds of this machine's memory. */
  double megabytes() throws IOException;

  @Override
  void close();

  /** What one process holds. */
  static double megabytes(long pid) throws IOException {
    for (var line : Files.readAllLines(Path.of("/proc", Long.toString(pid), "status"))) {
      if (line.startsWith("VmRSS:")) {
        return Double.parseDouble(line.replaceAll("\\D", "")) / 1024;
      }
    }
    throw new IOException("the server has no memory: it has ended");
  }
}
