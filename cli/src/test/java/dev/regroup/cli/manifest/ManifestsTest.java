package dev.regroup.cli.manifest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.cli.screen.CliFailure;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManifestsTest {

  @TempDir Path folder;

  @Test
  void takes_lists_apart_and_knows_where_each_field_stands() throws Exception {
    var read =
        Manifests.read(
            List.of(Path.of("-")),
            in(
                """
                apiVersion: v1
                kind: List
                items:
                - {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
                - apiVersion: v1
                  kind: Pod
                  metadata:
                    name: b
                """));

    assertThat(read).extracting(Manifests.Manifest::name).containsExactly("a", "b");
    assertThat(read.getLast().at("/metadata/name")).isEqualTo("<stdin>:8:5");
  }

  @Test
  void says_file_line_and_field_of_what_is_missing() {
    assertThatThrownBy(
            () -> Manifests.read(List.of(Path.of("-")), in("apiVersion: v1\nmetadata: {}\n")))
        .isInstanceOf(CliFailure.class)
        .hasMessage("<stdin>:1:1: kind: Required value");
  }

  @Test
  void says_what_is_wrong_with_a_file_that_cannot_be_read() throws Exception {
    Path directory = Files.createDirectory(folder.resolve("d"));

    assertThatThrownBy(() -> Manifests.read(List.of(directory), in("")))
        .hasMessageContaining("is a directory");
    assertThatThrownBy(() -> Manifests.read(List.of(folder.resolve("missing")), in("")))
        .hasMessageContaining("no such file");
    assertThatThrownBy(() -> Manifests.read(List.of(Path.of("-")), in("# nothing\n")))
        .hasMessageContaining("no objects");
  }

  @Test
  void turns_field_paths_into_pointers() {
    assertThat(FieldPointer.of("spec.containers[0].name")).isEqualTo("/spec/containers/0/name");
    assertThat(FieldPointer.of("metadata.annotations[a/b]"))
        .isEqualTo("/metadata/annotations/a~1b");
  }

  private static InputStream in(String text) {
    return new ByteArrayInputStream(text.getBytes(UTF_8));
  }
}
