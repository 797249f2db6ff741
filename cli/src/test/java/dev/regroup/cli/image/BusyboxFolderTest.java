package dev.regroup.cli.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BusyboxFolderTest {

  @TempDir private Path folder;

  @Test
  void each_command_is_a_link_to_the_program() throws Exception {
    var program = program("#!/bin/sh\necho busybox; echo httpd; echo nc; echo '[['\n");

    var made = folder(folder.resolve("nowhere"), folder.resolve("bin")).orElseThrow();

    try (var links = Files.list(made)) {
      assertThat(links)
          .extracting(Path::getFileName)
          .map(Path::toString)
          .containsExactlyInAnyOrder("httpd", "nc", "[[");
    }
    assertThat(Files.readSymbolicLink(made.resolve("nc"))).isEqualTo(program);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
        .as("whoever the container runs as")
        .isEqualTo("rwxr-xr-x");
  }

  /** Containers of an earlier run still have it mounted. */
  @Test
  void the_same_commands_are_the_same_folder() throws Exception {
    program("#!/bin/sh\necho httpd\n");
    var first = folder(folder.resolve("bin")).orElseThrow();

    assertThat(folder(folder.resolve("bin"))).contains(first);
    program("#!/bin/sh\necho httpd; echo nc\n");
    assertThat(folder(folder.resolve("bin"))).get().isNotEqualTo(first);
    assertThat(first).exists();
  }

  @Test
  void a_machine_without_the_program_has_none() throws Exception {
    assertThat(folder(folder.resolve("bin"))).isEmpty();
  }

  private Optional<Path> folder(Path... places) throws IOException {
    return new BusyboxFolder(folder.resolve("kept"), List.of(places)).folder();
  }

  private Path program(String script) throws IOException {
    var program = Files.createDirectories(folder.resolve("bin")).resolve("busybox");
    Files.writeString(program, script);
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    return program;
  }
}
