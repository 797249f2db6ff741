package dev.regroup.runtime.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.runtime.process.TapeRunner;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The interpreter while another process, born a moment ago, still holds it open for writing. */
class BusyInterpreterIT {

  @TempDir Path directory;

  @Test
  void a_start_waits_until_nobody_can_write_the_program() throws Exception {
    RootOnly.check();
    try (var machine = new Machine(directory.resolve("data"))) {
      var start = new FutureTask<>(machine::sandbox);
      try (var files = Files.newDirectoryStream(machine.directory, "interpreter-*");
          var _ = FileChannel.open(files.iterator().next(), StandardOpenOption.WRITE)) {
        Thread.ofPlatform().start(start);
        while (!refused()) {
          assertThat(start).isNotDone();
          Thread.onSpinWait();
        }
      }

      var pod = start.get(20, TimeUnit.SECONDS);

      assertThat(machine.runtime.pods()).containsExactly(pod);
    }
  }

  /** Whether somebody was told that the program is busy, and has not given up. */
  private static boolean refused() {
    return Thread.getAllStackTraces().values().stream()
        .flatMap(Arrays::stream)
        .anyMatch(call ->
            call.getClassName().equals(TapeRunner.class.getName())
                && call.getMethodName().equals("cleared"));
  }
}
