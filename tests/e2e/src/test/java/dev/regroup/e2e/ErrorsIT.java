package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a person reads when something is wrong: one line that says what to do, no stack trace. */
class ErrorsIT {

  @TempDir Path folder;

  @BeforeAll
  static void requireRoot() throws Exception {
    Root.require();
  }

  @Test
  void a_port_that_is_taken() throws Exception {
    try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String said =
          failing(
              "up",
              "--data-dir",
              folder + "/d",
              "--kubeconfig",
              folder + "/k",
              "--port",
              "" + taken.getLocalPort());

      assertThat(said)
          .contains("port " + taken.getLocalPort() + " is in use by another server")
          .contains("--port");
    }
  }

  @Test
  void a_data_directory_that_is_in_use() throws Exception {
    try (var cluster = Cluster.up(folder)) {
      String said =
          failing(
              "up",
              "--data-dir",
              folder + "/data",
              "--port",
              "0",
              "--kubeconfig",
              folder + "/other");

      assertThat(said)
          .contains("in use by process " + cluster.program().pid())
          .contains("--data-dir");
    }
  }

  @Test
  void a_file_that_is_missing_broken_or_of_an_unknown_kind() throws Exception {
    Path broken = Files.writeString(folder.resolve("broken.yaml"), "a: [1,\n");
    Path unknown =
        Files.writeString(
            folder.resolve("unknown.yaml"), "apiVersion: v1\nkind: Podd\nmetadata: {name: x}\n");

    assertThat(failing("run", folder + "/missing.yaml")).contains("no such file or directory");
    assertThat(failing("run", broken.toString())).contains("broken.yaml:2:1: is not YAML");
    assertThat(failing("run", unknown.toString()))
        .contains("unknown.yaml:2:")
        .contains("error: kind: unknown kind \"Podd\"");
  }

  @Test
  void a_kind_that_is_not_served_here_is_refused_before_anything_starts() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("web.yaml"),
            """
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: c}
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: d}
            """);

    assertThat(failing("run", file.toString()))
        .contains(
            "web.yaml:6:1: error: kind: regroup's local cluster does not serve \"Deployment\"")
        .contains("regroup: the local cluster serves ")
        .endsWith("regroup: nothing was started");
  }

  @Test
  void a_field_that_is_wrong_is_named_with_file_and_line() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("pod.yaml"),
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: x}
            spec:
              restartPolicy: Sometimes
              containers:
              - {name: c, image: i, comand: [x]}
            """);

    assertThat(failing("run", file.toString()))
        .contains("pod.yaml:5:3: error: spec.restartPolicy: Unsupported value: \"Sometimes\"")
        .contains("pod.yaml:7:25: error: spec.containers[0].comand: unknown field")
        .contains("did you mean \"command\"?")
        .contains("nothing was started");
  }

  @Test
  void wrong_usage_says_so_and_ends_with_2() throws Exception {
    try (var program = Program.start(Map.of(), List.of("run", "--gates=other", "x.yaml"))) {
      assertThat(program.awaitExit(Duration.ofSeconds(60))).as(program.output()).isEqualTo(2);
      assertThat(program.output())
          .isEqualTo("regroup: --gates: unknown value \"other\" (product or upstream)");
    }
  }

  @Test
  void only_debug_shows_a_stack_trace() throws Exception {
    try (var program = Program.start(Map.of(), List.of("run", "--debug", folder + "/missing"))) {
      assertThat(program.awaitExit(Duration.ofSeconds(60))).as(program.output()).isEqualTo(1);
      assertThat(program.output()).contains("no such file or directory").contains("\tat ");
    }
  }

  private String failing(String... arguments) throws Exception {
    try (var program = Program.start(Map.of("TMPDIR", folder.toString()), List.of(arguments))) {
      assertThat(program.awaitExit(Duration.ofSeconds(60))).as(program.output()).isEqualTo(1);
      assertThat(program.output()).contains("regroup: ").doesNotContain("\tat ");
      return program.output();
    }
  }
}
