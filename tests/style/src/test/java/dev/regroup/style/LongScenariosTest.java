package dev.regroup.style;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What {@code mvn verify} leaves out because it takes minutes is played by CI. */
class LongScenariosTest {

  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final Pattern LEFT_OUT =
      Pattern.compile("<exclude>\\*\\*/(\\w+)\\.java</exclude>");

  @Test
  void every_scenario_that_is_left_out_is_named_in_ci() throws IOException {
    var left =
        LEFT_OUT.matcher(Files.readString(ROOT.resolve("tests/e2e/pom.xml"))).results().toList();
    String ci = Files.readString(ROOT.resolve(".ci/run"));

    assertThat(left).isNotEmpty();
    assertThat(left)
        .allSatisfy(one -> {
          assertThat(ci).containsPattern("[',.]" + one.group(1) + "[',]");
          assertThat(
                  ROOT.resolve("tests/e2e/src/test/java/dev/regroup/e2e/" + one.group(1) + ".java"))
              .exists();
        });
  }
}
