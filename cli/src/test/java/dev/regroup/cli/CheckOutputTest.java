package dev.regroup.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code check} prints, for people and programs, when there is more than one thing to say. */
class CheckOutputTest {

  @TempDir Path directory;

  @Test
  void every_object_and_every_file_gets_its_say() throws IOException {
    Path missing = directory.resolve("missing.yaml");
    Path good = directory.resolve("good.yaml");
    Files.writeString(good, "kind: Pod\n---\napiVersion: v1\nkind: Pod\nspec: {containers: []}\n");

    var run = CommandRun.of("check", missing.toString(), good.toString());

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).contains("missing.yaml: cannot be read");
    assertThat(run.out())
        .contains("good.yaml:1:1: error: apiVersion: Required value")
        .contains("error: metadata.name: Required value")
        .contains("good.yaml:5:8: error: spec.containers: Required value");
  }

  @Test
  void findings_are_printed_for_programs_too() throws IOException {
    var run =
        CommandRun.on(
            directory,
            "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers: []\n",
            "check",
            "-o",
            "json");

    assertThat(run.code()).isEqualTo(1);
    assertThat(new ObjectMapper().readTree(run.out()).path(0))
        .hasToString(
            "{\"file\":\"m.yaml\",\"line\":5,\"column\":3,\"severity\":\"error\","
                + "\"field\":\"spec.containers\",\"problem\":\"Required value\",\"hint\":\"\"}");
  }

  @Test
  void js_132a_a_process_agent_without_a_command_cannot_lift_the_barrier() throws IOException {
    var run =
        CommandRun.on(
            directory,
            """
            apiVersion: jobset.x-k8s.io/v1alpha2
            kind: JobSet
            metadata:
              name: js
              annotations: {jobset.sigs.k8s.io/inject-in-place-restart-agent: process}
            spec:
              failurePolicy: {maxRestarts: 1, restartStrategy: InPlaceRestart}
              replicatedJobs:
              - name: w
                template:
                  spec:
                    template:
                      spec:
                        containers: [{name: c, image: i}]
            """,
            "check");

    assertThat(run.code()).isZero();
    assertThat(run.out()).contains("containers[0].command: is not set").contains("cannot lift");
  }

  @Test
  void amounts_in_a_replicated_job_are_judged_as_those_of_a_pod() throws IOException {
    var run =
        CommandRun.on(
            directory,
            """
            apiVersion: jobset.x-k8s.io/v1alpha2
            kind: JobSet
            metadata: {name: js}
            spec:
              replicatedJobs:
              - name: w
                template:
                  spec:
                    template:
                      spec:
                        containers:
                        - {name: c, image: i, resources: {limits: {nvidia.com/gpu: 1.5}}}
            """,
            "check");

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out()).contains("Invalid value: \"1500m\": must be an integer");
  }

  @Test
  void js_42b_what_is_filled_in_is_one_note_and_no_warning() throws IOException {
    var run =
        CommandRun.on(
            directory,
            """
            apiVersion: jobset.x-k8s.io/v1alpha2
            kind: JobSet
            metadata: {name: js}
            spec:
              failurePolicy: {maxRestarts: 1, restartStrategy: InPlaceRestart}
              replicatedJobs:
              - name: driver
                template:
                  spec:
                    podReplacementPolicy: Failed
                    template: {spec: {containers: [{name: c, image: i, command: [a]}]}}
              - name: worker
                template:
                  spec:
                    parallelism: 2
                    completions: 2
                    template: {spec: {containers: [{name: c, image: i, command: [a]}]}}
            """,
            "check");

    assertThat(run.code()).isZero();
    assertThat(run.out())
        .isEqualToIgnoringNewLines(
            "m.yaml:1:1: note: filled in: backoffLimit, completions (driver),"
                + " parallelism (driver), podReplacementPolicy (worker)");
  }

  @Test
  void kinds_that_only_a_cluster_serves_are_errors_here_and_none_there() throws IOException {
    String manifest =
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: d}
        ---
        apiVersion: example.com/v1
        kind: Widget
        metadata: {name: w}
        """;

    var here = CommandRun.on(directory, manifest, "check");
    var there = CommandRun.on(directory, manifest, "check", "--target=kubernetes:1.36");

    assertThat(here.code()).isEqualTo(1);
    assertThat(here.out().lines().toList())
        .satisfiesExactly(
            line ->
                assertThat(line)
                    .isEqualTo(
                        "m.yaml:2:1: error: kind: regroup's local cluster does not serve"
                            + " \"Deployment\" of apiVersion \"apps/v1\" (take it out of the file,"
                            + " or use a cluster)"),
            line -> assertThat(line).startsWith("m.yaml:6:1: error: kind: ").contains("Widget"));
    assertThat(here.err()).startsWith("regroup: the local cluster serves ").contains("Pod, ");
    assertThat(there.code()).isZero();
    assertThat(there.err()).isEmpty();
    assertThat(there.out())
        .isEqualToIgnoringNewLines(
            "m.yaml:6:1: note: kind: \"Widget\" of apiVersion \"example.com/v1\" is not known here"
                + " and was not checked");
  }

  @Test
  void a_known_kind_of_an_unknown_group_is_taken_for_a_typing_error_here() throws IOException {
    String manifest = "apiVersion: jobset.xk8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: j}\n";

    assertThat(CommandRun.on(directory, manifest, "check").out())
        .contains("(write apiVersion: jobset.x-k8s.io/v1alpha2)");
  }

  @Test
  void gate_09_gates_are_printed_for_programs_too() throws IOException {
    var run = CommandRun.of("gates", "-o", "json", "--feature-gates=node/RestartJob=false");

    assertThat(run.code()).isZero();
    assertThat(run.out())
        .contains("\"aliases\" : [ \"KeystoneContainers\" ]")
        .contains("\"node\" : false");
  }
}
