package dev.regroup.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real process, really killed in the middle of writing. */
class KillIT {

  private static final int ROUNDS = 3;
  private static final int LINES = 600;

  @TempDir Path directory;

  @Test
  void acknowledged_writes_survive_kill_9() throws Exception {
    var acknowledged = new HashMap<String, Long>(); // key → revision
    for (int round = 1; round <= ROUNDS; round++) {
      var process = writer();
      try (var output = process.inputReader()) {
        read(output, acknowledged, LINES * round);
        assertHeld(process);
        process.toHandle().destroyForcibly(); // unlike the process itself, leaves its output open
        read(output, acknowledged, Integer.MAX_VALUE); // what it said before it died
      } finally {
        process.destroyForcibly();
      }
      assertThat(process.waitFor()).isEqualTo(128 + 9);

      verify(acknowledged, round);
    }
  }

  private Process writer() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            KilledWriter.class.getName(),
            directory.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static void read(BufferedReader output, Map<String, Long> acknowledged, int lines)
      throws IOException {
    for (int i = 0; i < lines; i++) {
      var line = output.readLine();
      if (line == null) {
        return;
      }
      int space = line.indexOf(' ');
      if (space > 0 && line.length() > space + 1) {
        acknowledged.merge(
            line.substring(0, space), Long.parseLong(line.substring(space + 1)), Math::max);
      }
    }
  }

  private void assertHeld(Process process) {
    assertThatThrownBy(() -> Store.open(directory, Settings.STANDARD))
        .isInstanceOfSatisfying(
            DataDirectoryInUse.class, refusal -> assertThat(refusal.pid()).hasValue(process.pid()));
  }

  private void verify(Map<String, Long> acknowledged, int round) throws StoreFailure {
    try (var store = Store.open(directory, Settings.STANDARD)) {
      assertThat(acknowledged).isNotEmpty();
      acknowledged.forEach((key, revision) -> {
        var entry = store.get("things", key);
        assertThat(entry).as("round %d, %s at %d", round, key, revision).isPresent();
        assertThat(entry.orElseThrow().revision())
            .as("round %d, %s", round, key)
            .isGreaterThanOrEqualTo(revision);
        assertThat(new String(entry.orElseThrow().value(), UTF_8))
            .startsWith(entry.orElseThrow().revision() + " ");
      });
    }
  }
}
