package dev.regroup.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** ACT-14: the portable form, and what has none. */
class ConvertCommandTest {

  private static final String EXAMPLES = "../examples/kep/";

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "kep-3582-job-with-helper.yaml",
        "kep-467-story-1-draft.yaml",
        "kep-467-story-2-draft.yaml",
        "kep-5307-restart-on-code.yaml",
        "kep-5532-watcher-first-text.yaml",
        "kep-467-agent-rights.yaml"
      })
  void what_comes_out_is_accepted_by_a_cluster_and_does_not_change_again(String name)
      throws IOException {
    var once = CommandRun.of("convert", EXAMPLES + name);
    var check = CommandRun.on(directory, once.out(), "check", "--target=kubernetes:1.36");
    var twice = CommandRun.on(directory, once.out(), "convert");

    assertThat(once.code()).as(once.err()).isZero();
    assertThat(check.code()).as(check.out()).isZero();
    assertThat(twice.code()).isZero();
    assertThat(twice.out()).isEqualTo(once.out());
    assertThat(twice.err().lines()).allMatch(line -> line.endsWith("(JS-168)"));
  }

  @Test
  void a_portable_manifest_stays_as_it_is_and_earns_no_note() throws IOException {
    String manifest =
        """
        apiVersion: v1
        kind: Pod
        metadata:
          name: p
        spec:
          containers:
          - name: c
            image: i
        """;

    assertThat(CommandRun.on(directory, manifest, "convert"))
        .isEqualTo(new CommandRun(0, manifest, ""));
  }

  @Test
  void a_rule_that_the_policy_makes_needless_is_left_out() {
    var run = CommandRun.of("convert", EXAMPLES + "kep-467-story-2-draft.yaml");

    assertThat(run.err()).contains("containers[0].restartPolicyRules[0]: left out");
    assertThat(run.out()).contains("restartPolicy: Never\n");
  }

  @Test
  void what_has_no_portable_form_is_kept_in_the_annotation_and_named() {
    var agent = CommandRun.of("convert", EXAMPLES + "kep-467-story-1-draft.yaml");
    var helper = CommandRun.of("convert", EXAMPLES + "kep-3582-job-with-helper.yaml");

    assertThat(agent.err())
        .contains("initContainers[0].restartPolicyRules[1]: has no portable form");
    assertThat(agent.out()).contains("regroup.dev/rules: '{\"agent\":{\"restartPolicyRules\":[");
    assertThat(helper.err()).contains("lifecycle.onCompletion: has no portable form");
    assertThat(helper.out())
        .contains("regroup.dev/rules: '{\"main-job\":{\"onCompletion\":\"TerminatePod\"}}'");
  }

  @Test
  void an_agent_of_the_draft_gets_the_released_names() {
    assertThat(CommandRun.of("convert", EXAMPLES + "kep-467-story-1-draft.yaml").out())
        .contains("name: IN_PLACE_RESTART_EXIT_CODE", "path: /barrier-is-down", "port: 8081")
        .doesNotContain("NAMESPACE");
  }

  @Test
  void what_only_regroup_fills_in_is_written_out() {
    assertThat(CommandRun.of("convert", "../examples/training.yaml").out())
        .contains("backoffLimit: 2147483647", "podReplacementPolicy: Failed");
  }

  /** JS-168. */
  @Test
  void ranks_are_written_out_for_one_job_and_idempotently() throws IOException {
    var once =
        CommandRun.on(
            directory,
            ranked(
                """
                  coordinator: {replicatedJob: w, podIndex: 1}
                  network: {subdomain: mesh}
                  replicatedJobs:
                  - name: driver
                    template:
                      metadata:
                        annotations: {jobset.sigs.k8s.io/inject-in-place-restart-agent: none}
                      spec:
                        template: {spec: {containers: [{name: d, image: i}]}}
                  - name: w
                    template:
                      spec:
                        completionMode: Indexed
                        parallelism: 3
                        completions: 3
                        template:
                          spec:
                            containers:
                            - {name: a, image: i, env: [{name: MASTER_PORT, value: "1"}]}
                """),
            "convert");
    var twice = CommandRun.on(directory, once.out(), "convert");

    assertThat(once.err())
        .contains("replicatedJobs[1]", "containers[0].env: RANK, WORLD_SIZE, MASTER_ADDR written")
        .doesNotContain("replicatedJobs[0]");
    assertThat(once.out())
        .contains(
            """
                          - name: MASTER_PORT
                            value: '1'
                          - name: RANK
                            valueFrom:
                              fieldRef:
                                fieldPath: metadata.annotations['batch.kubernetes.io/job-completion-index']
                          - name: WORLD_SIZE
                            value: '3'
                          - name: MASTER_ADDR
                            value: train-w-0-1.mesh
            """);
    assertThat(twice).isEqualTo(new CommandRun(0, once.out(), ""));
  }

  /** JS-168. */
  @Test
  void ranks_that_a_template_cannot_say_are_named_for_each_worker() throws IOException {
    var run =
        CommandRun.on(
            directory,
            ranked(
                """
                  replicatedJobs:
                  - name: w
                    replicas: 2
                    template:
                      spec:
                        template: {spec: {containers: [{name: a, image: i}, {name: b, image: i}]}}
                  - name: loose
                    template:
                      spec:
                        completionMode: NonIndexed
                        template: {spec: {containers: [{name: c, image: i}]}}
                """),
            "convert");

    assertThat(run.out()).doesNotContain("RANK");
    assertThat(run.err())
        .contains("containers[0].env: RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT not written: the")
        .contains("containers[1].env: RANK")
        .doesNotContain("replicatedJobs[1]");
  }

  private static String ranked(String spec) {
    return """
    apiVersion: jobset.x-k8s.io/v1alpha2
    kind: JobSet
    metadata: {name: train}
    spec:
    """
        + spec;
  }

  /** KEP-3582 on any kubelet: the others are sidecars where that is the same. */
  @Test
  void a_container_that_ends_the_pod_is_written_with_sidecars_where_that_is_exact()
      throws Exception {
    var pod =
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: p}
        spec:
          restartPolicy: Never
          containers:
          - {name: main, image: i, lifecycle: {onCompletion: TerminatePod}}
          - {name: proxy, image: i, restartPolicy: %s}
        """;

    var exact = CommandRun.on(directory, pod.formatted("Always"), "convert");
    var other = CommandRun.on(directory, pod.formatted("OnFailure"), "convert");

    assertThat(exact.out())
        .contains("initContainers:\n  - name: proxy\n    image: i\n    restartPolicy: Always\n")
        .doesNotContain("regroup.dev/rules", "onCompletion");
    assertThat(exact.err()).contains("onCompletion: written as sidecars");
    assertThat(other.err())
        .contains(
            "onCompletion: cannot be written with sidecars: container \"proxy\" is not always"
                + " restarted, a sidecar is always restarted");
    assertThat(other.out()).contains("regroup.dev/rules");
  }
}
