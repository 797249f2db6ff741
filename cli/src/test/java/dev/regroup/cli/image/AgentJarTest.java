package dev.regroup.cli.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentJarTest {

  @TempDir Path folder;

  @Test
  void it_runs_by_itself_and_is_always_the_same() throws Exception {
    Path one = folder.resolve("one.jar");
    Path two = folder.resolve("two.jar");
    AgentJar.write(one);
    AgentJar.write(two);

    var builder =
        new ProcessBuilder(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-jar",
                one.toString()));
    builder.environment().remove("JOBSET_NAME");
    builder.environment().put("NAMESPACE", "n");
    Process agent = builder.redirectErrorStream(true).start();
    String said = new String(agent.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(agent.waitFor()).isEqualTo(1);
    assertThat(said).contains("JOBSET_NAME: must be set");
    assertThat(two).hasSameBinaryContentAs(one);
  }
}
