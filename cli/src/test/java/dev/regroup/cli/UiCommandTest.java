package dev.regroup.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.testing.FreePort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UiCommandTest {

  @TempDir Path folder;

  @Test
  void a_kubeconfig_that_is_not_there_is_named() {
    var run = CommandRun.of("ui", "--kubeconfig", folder.resolve("none").toString());

    assertThat(run.code()).isNotZero();
    assertThat(run.err()).contains(folder.resolve("none").toString());
    assertThat(run.out()).isEmpty();
  }

  @Test
  void a_cluster_that_does_not_answer_is_said_before_a_link_is_printed() throws IOException {
    Path config = folder.resolve("config");
    Files.writeString(
        config,
        """
        apiVersion: v1
        kind: Config
        current-context: c
        contexts: [{name: c, context: {cluster: c}}]
        clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
        """
            .formatted(FreePort.next()));

    var run = CommandRun.of("ui", "--kubeconfig", config.toString());

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).startsWith("regroup: the cluster does not answer");
    assertThat(run.out()).isEmpty();
  }

  @Test
  void up_names_the_values_that_its_page_can_have() {
    var run = CommandRun.of("up", "--ui=maybe", "--data-dir", folder.resolve("data").toString());

    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains("--ui: unknown value \"maybe\" (on or off)");
  }
}
