package dev.regroup.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExplainCommandTest {

  private static final String STORY_2 = "../examples/kep/kep-467-story-2-released.yaml";

  @TempDir Path directory;

  private List<String> explain(String podSpec, String... options) throws IOException {
    String manifest = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n" + podSpec;
    var run = CommandRun.on(directory, manifest, "explain", options);
    assertThat(run.code()).as(run.err()).isZero();
    return run.out().lines().map(line -> line.replaceAll(" {3,}", " | ")).toList();
  }

  @Test
  void every_class_of_codes_has_one_row_and_signals_have_names() throws IOException {
    var lines =
        explain(
            """
              restartPolicy: Never
              containers:
              - name: c
                image: i
                restartPolicy: OnFailure
                restartPolicyRules:
                - {action: Terminate, exitCodes: {operator: In, values: [3, 1, 2, 137]}}
                - {action: RestartAllContainers, exitCodes: {operator: In, values: [143]}}
            """);

    assertThat(lines)
        .containsExactly(
            "Pod/p",
            "CONTAINER | EXIT | POD | DECIDED BY",
            "c | 0 | Pod succeeds | restartPolicy",
            "c | 1-3, 137 (SIGKILL) | Pod fails | restartPolicyRules[0]",
            "c | 143 (SIGTERM) | restart all containers in place | restartPolicyRules[1]",
            "c | any other | restart container | restartPolicy");
  }

  /** COND-02, COND-03, ACC-134, ACC-136. */
  @Test
  void conditions_beside_codes_have_rows_of_their_own() throws IOException {
    var lines =
        explain(
            """
              restartPolicy: Never
              initContainers:
              - name: retry
                image: i
                restartPolicy: Never
                restartPolicyRules:
                - {action: Complete, restartTimes: 10}
                - {action: Restart, exitCodes: {operator: NotIn, values: [0]}}
              containers:
              - name: c
                image: i
                restartPolicy: Never
                restartPolicyRules:
                - {action: Restart, oomKill: {}}
            """);

    assertThat(lines)
        .contains(
            "retry (init) | 0 | done, next container starts | exit code 0",
            "retry (init) | any other | restart container | restartPolicyRules[1]",
            "retry (init) | any, from restart 10 on | done, next container starts |"
                + " restartPolicyRules[0]",
            "c | any other | Pod fails | restartPolicy",
            "c | 137 (OOMKilled) | restart container | restartPolicyRules[0]");
  }

  /** TPC-10, TPC-22, DEC-55, DEC-57. */
  @Test
  void ends_of_the_pod_are_told_apart() throws IOException {
    var lines =
        explain(
            """
              restartPolicy: Never
              initContainers:
              - name: side
                image: i
                restartPolicy: Always
                restartPolicyRules:
                - {action: Terminate, exitCodes: {operator: In, values: [7]}}
              containers:
              - {name: main, image: i, lifecycle: {onCompletion: TerminatePod}}
              - name: key
                image: i
                restartPolicy: Never
                restartPolicyRules: [{action: TerminatePod, exit: {}}]
              - {name: helper, image: i, restartPolicy: Always}
            """);

    assertThat(lines)
        .contains(
            "side (sidecar) | 7 | Pod fails | restartPolicyRules[0]",
            "side (sidecar) | any other | restart container | restartPolicy",
            "main | 0 | Pod succeeds | lifecycle.onCompletion",
            "main | any other | Pod fails | lifecycle.onCompletion",
            "key | 0 | Pod succeeds | restartPolicyRules[0]",
            "helper | any | restart container | restartPolicy");
  }

  /** GATE-13: a rule whose gate is off on the node stops the walk and does nothing. */
  @Test
  void a_gate_that_is_off_on_the_node_makes_its_rules_inert() throws IOException {
    String pod =
        """
          restartPolicy: Never
          containers:
          - name: c
            image: i
            restartPolicy: Never
            restartPolicyRules:
            - {action: RestartAllContainers, exitCodes: {operator: In, values: [42]}}
        """;

    assertThat(explain(pod))
        .contains("c | 42 | restart all containers in place | restartPolicyRules[0]");
    assertThat(explain(pod, "--feature-gates=node/RestartAllContainersOnContainerExits=false"))
        .contains("c | any other | Pod fails | restartPolicy")
        .noneMatch(line -> line.contains("in place"));
  }

  @Test
  void one_exit_is_answered_in_one_sentence() {
    assertThat(CommandRun.of("explain", "--exit", "worker=3", STORY_2).out())
        .isEqualTo(
            "JobSet/in-place-restart-failure-policy, replicated job workers: when worker exits"
                + " with 3, the Pod fails, the Job fails with reason PodFailurePolicy, and the"
                + " JobSet fails with reason FailJobSetFailurePolicyAction (decided by"
                + " restartPolicy).\n");
    assertThat(CommandRun.of("explain", "--exit", "worker=SIGKILL", STORY_2).out())
        .contains("exits with 137 (SIGKILL), all containers of the Pod restart in place")
        .contains("restarts the whole group in place (at most 3 times)");
  }

  @Test
  void a_question_that_cannot_be_answered_says_why() {
    var nobody = CommandRun.of("explain", "--exit", "nobody=3", STORY_2);
    var unreadable = CommandRun.of("explain", "--exit", "worker=many", STORY_2);

    assertThat(nobody.code()).isEqualTo(3);
    assertThat(nobody.err()).contains("no container \"nobody\"");
    assertThat(unreadable.code()).isEqualTo(2);
    assertThat(unreadable.err()).contains("write CONTAINER=CODE");
  }

  @Test
  void json_carries_the_rule_of_the_specification() throws IOException {
    var run = CommandRun.of("explain", "-o", "json", STORY_2);
    var rows = Wire.tree("{\"all\":" + run.out() + "}").path("all").path(0).path("exits");

    assertThat(rows.findValuesAsText("rule"))
        .containsExactly("DEC-41", "DEC-25", "DEC-25", "DEC-25", "DEC-27");
    assertThat(rows.path(2).path("job").path("reason").asText()).isEqualTo("PodFailurePolicy");
    assertThat(rows.path(4).path("jobSet").toString())
        .isEqualTo("{\"outcome\":\"RestartsInPlace\",\"maxRestarts\":3}");
  }

  @Test
  void yaml_says_the_same_as_json() {
    assertThat(CommandRun.of("explain", "-o", "yaml", STORY_2).out())
        .startsWith("- kind: JobSet\n  name: in-place-restart-failure-policy\n")
        .contains("rule: DEC-27");
  }
}
