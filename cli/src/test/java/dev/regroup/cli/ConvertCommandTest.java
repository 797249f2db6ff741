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
    assertThat(twice).isEqualTo(new CommandRun(0, once.out(), ""));
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
}
