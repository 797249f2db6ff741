package dev.regroup.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GoProgramsTest {

  @TempDir Path folder;

  @Test
  void programs_that_somebody_has_built_are_taken_as_they_are() throws Exception {
    var etcd = Files.createFile(folder.resolve("etcd"));
    assertThat(etcd.toFile().setExecutable(true)).isTrue();

    assertThat(GoPrograms.of(folder).program("etcd")).isEqualTo(etcd);
  }

  @Test
  void a_program_that_is_not_there_is_named_with_its_place() {
    assertThatThrownBy(() -> GoPrograms.of(folder).program("kube-apiserver"))
        .hasMessageContaining("kube-apiserver")
        .hasMessageContaining(folder.toString());
  }

  @Test
  void every_module_brings_what_go_needs_to_build_it() throws Exception {
    for (var module : GoPrograms.Module.values()) {
      for (var file : module.files()) {
        assertThat(module.file(file)).as("%s/%s", module, file).isNotEmpty();
      }
    }
  }
}
