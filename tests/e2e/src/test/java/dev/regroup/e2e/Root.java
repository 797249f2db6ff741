package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Tests with real containers need root; elsewhere they say so, in CI they must not be skipped. */
final class Root {

  private Root() {}

  static void require() throws IOException {
    boolean root =
        Files.readAllLines(Path.of("/proc/self/status")).stream()
            .anyMatch(line -> line.startsWith("Uid:\t0\t0"));
    if (root) {
      return;
    }
    if (System.getenv("CI") != null) {
      fail("these tests need root in CI");
    }
    System.out.println("SKIPPED: containers need root (run mvn verify with sudo)");
    abort("containers need root");
  }
}
