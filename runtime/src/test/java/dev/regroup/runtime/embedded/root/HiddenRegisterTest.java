package dev.regroup.runtime.embedded.root;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.runtime.embedded.tapes.Hidden;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the runtimes of a machine tell each other to hide. */
class HiddenRegisterTest {

  /** Containers see it. */
  private static final Path USED = Path.of("/usr");

  @TempDir Path directory;

  private HiddenRegister register() {
    return new HiddenRegister(directory.resolve("runtimes"));
  }

  @Test
  void what_one_hides_all_know() throws Exception {
    var own =
        List.of(
            Hidden.directory(USED), Hidden.file(Path.of("/var/tmp/a\nb")), Hidden.directory(USED));
    register().keep(Path.of("/var/one"), own);
    register().keep(Path.of("/var/two"), List.of(Hidden.directory(Path.of("/usr/bin"))));

    assertThat(register().all())
        .containsExactlyInAnyOrder(
            Hidden.directory(USED),
            Hidden.directory(USED),
            Hidden.file(Path.of("/var/tmp/a\nb")),
            Hidden.directory(Path.of("/usr/bin")));
    assertThat(register().changed()).isPresent();
  }

  @Test
  void what_no_container_sees_is_not_told() throws Exception {
    register().keep(directory, List.of(Hidden.directory(Path.of("/tmp/data"))));

    assertThat(register().all()).isEmpty();
    assertThat(directory.resolve("runtimes")).isEmptyDirectory();
  }

  @Test
  void who_is_gone_is_forgotten_and_who_has_left_something_is_not() throws Exception {
    register().keep(Path.of("/var/gone"), List.of(Hidden.directory(Path.of("/var/none/data"))));
    register()
        .keep(
            Path.of("/var/here"),
            List.of(Hidden.directory(Path.of("/var/none/runtime")), Hidden.directory(USED)));

    register().keep(directory, List.of());

    assertThat(register().all())
        .containsExactly(Hidden.directory(Path.of("/var/none/runtime")), Hidden.directory(USED));
  }

  @Test
  void a_directory_that_is_not_there_tells_nothing() throws Exception {
    assertThat(register().all()).isEmpty();
    assertThat(register().changed()).isEmpty();
  }

  @Test
  void what_cannot_be_read_to_its_end_hides_nothing_and_stays() throws Exception {
    Files.createDirectories(directory.resolve("runtimes"));
    Path begun = Files.writeString(directory.resolve("runtimes/begun"), "directory /usr\n");

    register().keep(directory, List.of());

    assertThat(register().all()).isEmpty();
    assertThat(begun).exists();
  }
}
