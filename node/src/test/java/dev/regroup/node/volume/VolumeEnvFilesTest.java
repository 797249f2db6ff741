package dev.regroup.node.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.node.env.ConfigFailure;
import dev.regroup.runtime.linux.Linux;
import dev.regroup.runtime.linux.Syscall;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of variables in a volume that containers write to. */
class VolumeEnvFilesTest {

  private static final int RENAME_EXCHANGE = 2;

  @TempDir Path directory;

  private Path volume;
  private VolumeEnvFiles files;

  @BeforeEach
  void make() throws Exception {
    volume = Files.createDirectories(directory.resolve("v"));
    Files.writeString(volume.resolve("env"), "A='a'\n");
    files = new VolumeEnvFiles(Map.of("v", new Prepared.OnDisk(volume, false)));
  }

  @Test
  void variables_are_read_from_files_that_stay_in_their_volume() throws Exception {
    Files.createSymbolicLink(volume.resolve("link"), Path.of("env"));
    Files.createSymbolicLink(volume.resolve("out"), Path.of("/etc/passwd"));

    assertThat(files.read("v", "env")).isEqualTo("A='a'\n");
    assertThat(files.read("v", "/env")).isEqualTo("A='a'\n");
    assertThat(files.read("v", "link")).isEqualTo("A='a'\n");
    for (var path : new String[] {"out", "none", "."}) {
      assertThatThrownBy(() -> files.read("v", path)).hasMessage("couldn't parse env file");
    }
    assertThatThrownBy(() -> files.read("w", "env")).hasMessageContaining("\"w\"");
  }

  @Test
  void forbids_a_link_that_takes_a_files_place_to_lead_out_of_the_volume() throws Exception {
    var secret = Files.writeString(directory.resolve("secret"), "A='secret'\n");
    Files.createSymbolicLink(volume.resolve("link"), secret);
    Files.createDirectories(volume.resolve("d"));
    Files.writeString(volume.resolve("d/secret"), "A='a'\n");
    Files.createSymbolicLink(volume.resolve("up"), directory);

    var seen = new HashSet<String>();
    try (var _ = exchanging(volume.resolve("env"), volume.resolve("link"));
        var _ = exchanging(volume.resolve("d"), volume.resolve("up"))) {
      for (int i = 0; i < 20_000; i++) {
        seen.add(readOrNothing(i % 2 == 0 ? "env" : "d/secret"));
      }
    }

    assertThat(seen).contains("A='a'\n").isSubsetOf("A='a'\n", "");
  }

  @Test
  void forbids_a_pipe_to_keep_the_node_waiting() throws Exception {
    var made = new ProcessBuilder("mkfifo", volume.resolve("pipe").toString()).start();
    assertThat(made.waitFor()).isZero();

    assertThatThrownBy(() -> files.read("v", "pipe")).hasMessage("couldn't parse env file");
  }

  private String readOrNothing(String path) {
    try {
      return files.read("v", path);
    } catch (ConfigFailure e) {
      return "";
    }
  }

  private interface Exchanging extends AutoCloseable {
    @Override
    void close() throws InterruptedException;
  }

  /** As a container would do it, until it is closed. */
  private static Exchanging exchanging(Path one, Path other) {
    var stop = new AtomicBoolean();
    var thread =
        Thread.ofPlatform()
            .name("exchanging")
            .start(() -> {
              while (!stop.get()) {
                exchange(one, other);
              }
            });
    return () -> {
      stop.set(true);
      thread.join();
    };
  }

  private static void exchange(Path one, Path other) {
    try (var arena = Arena.ofConfined()) {
      Linux.tryCall(
          Syscall.RENAMEAT2,
          Linux.AT_FDCWD,
          arena.allocateFrom(one.toString()).address(),
          Linux.AT_FDCWD,
          arena.allocateFrom(other.toString()).address(),
          RENAME_EXCHANGE);
    }
  }
}
