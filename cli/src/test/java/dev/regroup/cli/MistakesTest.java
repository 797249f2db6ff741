package dev.regroup.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What cannot work is said before anything is started, with what to do. */
class MistakesTest {

  @TempDir Path folder;

  @Test
  void files_without_a_workload_are_not_run() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("m.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n");

    var run = CommandRun.of("run", file.toString());

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err())
        .contains("nothing to run: the files hold no JobSet, Job or Pod; nothing was started")
        .doesNotContain("isolation");
  }

  @Test
  void a_report_that_cannot_be_written_is_told_before_the_run() throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("m.yaml"),
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: x}
            spec: {containers: [{name: c, image: none, command: ["true"]}]}
            """);

    var run = CommandRun.of("run", "--report", "/proc/no", file.toString());

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err())
        .contains("/proc/no: the report cannot be written: ")
        .contains("(name another place with --report)")
        .doesNotContain("isolation");
  }

  @ParameterizedTest
  @ValueSource(strings = {"watch", "timeline jobset/x", "chaos jobset/x --seed 1", "status"})
  void a_cluster_that_does_not_answer_is_told_with_what_to_do(String command) throws Exception {
    int port;
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort(); // nobody's from now on
    }
    Path file =
        Files.writeString(
            folder.resolve("kubeconfig"),
            """
            current-context: c
            contexts: [{name: c, context: {cluster: c, user: u}}]
            clusters: [{name: c, cluster: {server: "https://127.0.0.1:%d"}}]
            users: [{name: u, user: {token: t}}]
            """
                .formatted(port));

    var run = CommandRun.of((command + " --kubeconfig " + file).split(" ", -1));

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err())
        .contains("the cluster does not answer: ")
        .contains(
            "(is it up? 'regroup up' starts one here, --context or --kubeconfig name another)");
  }
}
