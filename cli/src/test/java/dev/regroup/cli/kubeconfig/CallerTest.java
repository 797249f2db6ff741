package dev.regroup.cli.kubeconfig;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CallerTest {

  private static final Path ROOT = Path.of("/root");

  @TempDir Path folder;

  @Test
  void without_sudo_the_home_is_ones_own() throws Exception {
    assertThat(home(Map.of())).isEqualTo(ROOT);
    assertThat(home(Map.of("SUDO_USER", "root"))).isEqualTo(ROOT);
  }

  @Test
  void under_sudo_the_home_is_that_of_who_called_it() throws Exception {
    assertThat(home(Map.of("SUDO_USER", "ann"))).isEqualTo(Path.of("/home/ann"));
  }

  @Test
  void a_user_nobody_knows_has_the_programs_home() throws Exception {
    assertThat(home(Map.of("SUDO_USER", "an"))).isEqualTo(ROOT);
  }

  private Path home(Map<String, String> environment) throws Exception {
    Path users =
        Files.writeString(
            folder.resolve("passwd"),
            "root:x:0:0:root:/root:/bin/bash\nann:x:1000:1000::/home/ann:/bin/sh\n");
    return new Caller(environment, ROOT, users).home();
  }
}
