package dev.regroup.cli.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LauncherElfTest {

  @TempDir Path folder;

  @Test
  void it_becomes_the_program_with_its_words_first() throws Exception {
    assertThat(run(List.of("/bin/echo", "a b", "c"), List.of("d", "e f")))
        .isEqualTo("a b c d e f\n");
    assertThat(run(List.of("/bin/echo", "alone"), List.of())).isEqualTo("alone\n");
  }

  @Test
  void many_arguments_and_the_environment_go_along() throws Exception {
    var many = new ArrayList<String>();
    for (int i = 0; i < 5_000; i++) {
      many.add("x");
    }

    assertThat(run(List.of("/bin/sh", "-c", "echo $# $HELLO", "sh"), many))
        .isEqualTo("5000 there\n");
  }

  @Test
  void what_cannot_be_started_gives_127() throws Exception {
    Process process = new ProcessBuilder(launcher(List.of("/no/such/program"))).start();

    assertThat(process.waitFor()).isEqualTo(127);
  }

  private String run(List<String> words, List<String> arguments) throws Exception {
    var command = new ArrayList<>(List.of(launcher(words)));
    command.addAll(arguments);
    var builder = new ProcessBuilder(command);
    builder.environment().put("HELLO", "there");
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).isZero();
    return output;
  }

  private String launcher(List<String> words) throws Exception {
    Path file = Files.createTempFile(folder, "launcher", "");
    Files.write(file, LauncherElf.of(words));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    return file.toString();
  }
}
