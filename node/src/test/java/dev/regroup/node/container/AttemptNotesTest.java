package dev.regroup.node.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.rules.pod.StopReason;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.PodUid;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Notes on a disk that takes none. */
class AttemptNotesTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final ContainerKey KEY = new ContainerKey(new PodUid("uid"), "c", 0);

  @Test
  void a_disk_that_refuses_does_not_keep_a_pod_from_its_end(@TempDir Path directory)
      throws Exception {
    var notes = new AttemptNotes(refusing(directory));

    notes.stopping(KEY, StopReason.POD_END, NOW);

    assertThat(notes.of(KEY).stop()).isEqualTo(StopReason.POD_END);
    assertThat(notes.of(KEY).stopSince()).isEqualTo(NOW);
  }

  @Test
  void a_restart_is_not_begun_without_its_note(@TempDir Path directory) throws Exception {
    var notes = new AttemptNotes(refusing(directory));

    assertThatThrownBy(() -> notes.stopping(KEY, StopReason.RESTART_ALL, NOW))
        .isInstanceOf(IOException.class);
    assertThat(notes.of(KEY).stop()).isEqualTo(StopReason.NONE);
  }

  /** A file where the directory should be. */
  private static Path refusing(Path directory) throws IOException {
    return Files.createFile(directory.resolve("attempts"));
  }
}
