package dev.regroup.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CheckCommandTest {

  @TempDir Path directory;

  private CommandRun check(String manifest, String... options) throws IOException {
    return CommandRun.on(directory, manifest, "check", options);
  }

  private static String pod(String policy, String container) {
    return """
    apiVersion: v1
    kind: Pod
    metadata: {name: p}
    spec:
      restartPolicy: %s
      containers:
      - {name: c, image: i, %s}
    """
        .formatted(policy, container);
  }

  @Test
  void a_sound_manifest_is_accepted_without_a_word() throws IOException {
    var run =
        check(
            pod(
                "Never",
                "restartPolicy: Never, restartPolicyRules: [{action: Restart, exitCodes: {operator:"
                    + " In, values: [42]}}]"));

    assertThat(run).isEqualTo(new CommandRun(0, "", ""));
  }

  @ParameterizedTest
  @CsvSource({
    "restartPolicyRule: [], restartPolicyRules",
    "Image: j, image",
    "livenesProbe: {}, livenessProbe"
  })
  void an_unknown_field_is_an_error_with_the_nearest_known_name(String field, String meant)
      throws IOException {
    var run = check(pod("Never", field));

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out()).contains(": unknown field (did you mean \"" + meant + "\"?)");
  }

  @Test
  void all_errors_of_all_documents_are_named_with_their_places() throws IOException {
    var run = check(pod("Sometimes", "imag: x") + "---\n" + pod("Never", "restartPolicy: Allways"));

    assertThat(run.out().lines())
        .anyMatch(
            line -> line.startsWith("m.yaml:5:3: error: spec.restartPolicy: Unsupported value"))
        .anyMatch(line -> line.startsWith("m.yaml:7:25: error: spec.containers[0].imag: unknown"))
        .anyMatch(line ->
            line.startsWith("m.yaml:15:25: error: spec.containers[0].restartPolicy: Unsupported")
                && line.endsWith("(did you mean \"Always\"?)"));
  }

  /** VAL-27. */
  @ParameterizedTest
  @CsvSource({"'\"*\"'", "1.5", "2147483648"})
  void an_exit_code_that_is_no_number_is_named_with_its_place(String value) throws IOException {
    var run =
        check(
            pod(
                "Never",
                "restartPolicy: Never, restartPolicyRules: [{action: Restart, exitCodes: {operator:"
                    + " In, values: [1, "
                    + value
                    + "]}}]"));

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out())
        .contains("m.yaml:7:")
        .contains(".restartPolicyRules[0].exitCodes.values[1]: must be a 32-bit whole number");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Never  | {action: Restart, exitCodes: {operator: NotIn, values: []}},"
            + " {action: Restart, exitCodes: {operator: In, values: [3]}}"
            + " | restartPolicyRules[1]: is never reached",
        "Never  | {action: Restart, exitCodes: {operator: In, values: []}}"
            + " | restartPolicyRules[0]: matches no exit code",
        "Never  | {action: Restart, exitCodes: {operator: In, values: [256, -1]}}"
            + " | restartPolicyRules[0]: matches no exit code",
        "Always | {action: Restart, exitCodes: {operator: In, values: [3]}}"
            + " | restartPolicyRules[0]: has no effect, restartPolicy Always"
      })
  void a_rule_without_effect_earns_a_warning(String policy, String rules, String warning)
      throws IOException {
    var run =
        check(pod("Never", "restartPolicy: " + policy + ", restartPolicyRules: [" + rules + "]"));

    assertThat(run.code()).isZero();
    assertThat(run.out()).contains("warning: spec.containers[0]." + warning);
  }

  @Test
  void a_rule_that_decides_for_some_codes_earns_none() throws IOException {
    var run =
        check(
            pod(
                "Never",
                "restartPolicy: Always, restartPolicyRules: [{action: Restart, exitCodes:"
                    + " {operator: In, values: [3]}}, {action: RestartAllContainers, exitCodes:"
                    + " {operator: NotIn, values: [0]}}]"));

    assertThat(run.out()).isEmpty();
  }

  private static String job(String spec, String podPolicy, String rule) {
    return """
    apiVersion: batch/v1
    kind: Job
    metadata: {name: j}
    spec:
      %s
      template:
        spec:
          restartPolicy: %s
          containers:
          - name: c
            image: i
            restartPolicy: Never
            restartPolicyRules: [%s]
    """
        .formatted(spec, podPolicy, rule);
  }

  /** RAC-79. */
  @Test
  void restarts_that_count_against_a_backoff_limit_earn_a_warning() throws IOException {
    String rule = "{action: RestartAllContainers, exitCodes: {operator: In, values: [42]}}";

    assertThat(check(job("backoffLimit: 2", "OnFailure", rule)).out())
        .contains("backoffLimit 2")
        .contains("RAC-79");
    assertThat(check(job("backoffLimit: 2", "Never", rule)).out()).isEmpty();
    assertThat(check(job("backoffLimit: 2147483647", "OnFailure", rule)).out()).isEmpty();
  }

  @Test
  void a_worker_that_restarts_when_it_succeeds_earns_a_warning() throws IOException {
    String rule = "{action: RestartAllContainers, exitCodes: {operator: NotIn, values: [42]}}";

    assertThat(check(job("backoffLimit: 2", "Never", rule)).out())
        .contains("restartPolicyRules[0]: also matches exit code 0");
  }

  private static String jobSet(String policy, String agentRule, String probe) {
    return """
    apiVersion: jobset.x-k8s.io/v1alpha2
    kind: JobSet
    metadata: {name: js}
    spec:
      failurePolicy: {%s}
      replicatedJobs:
      - name: w
        template:
          spec:
            completions: 2
            parallelism: 2
            backoffLimit: 2147483647
            podReplacementPolicy: Failed
            template:
              spec:
                initContainers:
                - name: agent
                  image: a
                  restartPolicy: Always
                  restartPolicyRules: [%s]
                  %s
                containers:
                - name: c
                  image: i
    """
        .formatted(policy, agentRule, probe);
  }

  private static final String PROBE =
      "startupProbe: {httpGet: {port: 8081}, periodSeconds: 1, failureThreshold: 600}";
  private static final String ANY =
      "{action: RestartAllContainers, exitCodes: {operator: NotIn, values: []}}";

  @Test
  void an_in_place_group_with_its_agent_is_accepted_without_a_word() throws IOException {
    var run = check(jobSet("maxRestarts: 1, restartStrategy: InPlaceRestart", ANY, PROBE));

    assertThat(run).isEqualTo(new CommandRun(0, "", ""));
  }

  @Test
  void traps_of_in_place_groups_earn_warnings() throws IOException {
    String in88 = "{action: RestartAllContainers, exitCodes: {operator: In, values: [88]}}";

    assertThat(check(jobSet("restartStrategy: InPlaceRestart", ANY, PROBE)).out())
        .contains("m.yaml:5:3: warning: spec.failurePolicy.maxRestarts: is 0");
    assertThat(check(jobSet("maxRestarts: 1, restartStrategy: InPlaceRestart", in88, PROBE)).out())
        .contains("JS-138");
    assertThat(check(jobSet("maxRestarts: 1, restartStrategy: InPlaceRestart", ANY, "")).out())
        .contains("has no startupProbe");
    assertThat(
            check(
                    jobSet(
                        "maxRestarts: 1, restartStrategy: InPlaceRestart",
                        ANY,
                        PROBE.replace("600", "30")))
                .out())
        .contains("gives the group 30 s");
  }

  /** JS-133. */
  @Test
  void parts_that_wait_for_each_other_behind_one_barrier_earn_a_warning() throws IOException {
    var manifest =
        jobSet("maxRestarts: 1, restartStrategy: InPlaceRestart", ANY, PROBE)
            + "  startupPolicy: {startupPolicyOrder: InOrder}\n";

    assertThat(check(manifest).out()).contains("startupPolicy InOrder deadlocks on other");
  }

  @Test
  void a_mistake_in_the_template_of_a_jobset_is_found_at_its_place() throws IOException {
    var run =
        check(
            jobSet("maxRestarts: 1, restartStrategy: InPlaceRestart", ANY, PROBE)
                .replace("image: i", "image: i\n              restartPolicy: Maybe"));

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out())
        .contains(
            "error: spec.replicatedJobs[0].template.spec.template.spec.containers[0].restartPolicy:"
                + " Unsupported value: \"Maybe\"");
  }

  @Test
  void strict_decoding_knows_no_draft_spellings() throws IOException {
    var manifest =
        pod(
            "Never",
            "restartPolicy: Never, restartPolicyRules: [{action: Restart, when: {exitCodes:"
                + " {operator: In, values: [42]}}}]");

    assertThat(check(manifest).code()).isZero();
    assertThat(check(manifest, "--decoding=strict").out())
        .contains("restartPolicyRules[0].when: unknown field");
    assertThat(check(manifest, "--gates=upstream").code()).isEqualTo(1);
  }

  /** ACT-14. */
  @Test
  void a_target_says_what_a_cluster_would_refuse_or_drop() throws IOException {
    var manifest =
        pod(
            "Never",
            "lifecycle: {onCompletion: TerminatePod}, restartPolicy: Never, restartPolicyRules:"
                + " [{action: RestartAllContainers, exitCodes: {operator: In, values: [42]}}]");

    assertThat(check(manifest).code()).isZero();
    assertThat(check(manifest, "--target=kubernetes:1.36").out())
        .contains("lifecycle.onCompletion: Kubernetes 1.36 does not know this field")
        .doesNotContain("restartPolicyRules");
    assertThat(check(manifest, "--target=kubernetes:1.35").out())
        .contains("restartPolicyRules[0].action: Kubernetes 1.35 refuses this");
    assertThat(check(manifest, "--target=kubernetes:1.34").out())
        .contains("restartPolicyRules: Kubernetes 1.34 drops this silently");
    assertThat(check(manifest, "--target=mars").code()).isEqualTo(2);
  }

  /** JS-168, JS-169. */
  @Test
  void what_only_regroup_gives_a_worker_is_named_for_a_cluster() throws IOException {
    var manifest =
        """
        apiVersion: jobset.x-k8s.io/v1alpha2
        kind: JobSet
        metadata: {name: a, annotations: {regroup.dev/restart-grace: "5"}}
        spec:
          failurePolicy: {maxRestarts: 1}
          replicatedJobs:
          - name: w
            template:
              spec:
                template:
                  spec:
                    containers:
                    - {name: plain, image: i, command: [sh, -c, "train $JOB_COMPLETION_INDEX"]}
                    - {name: ranked, image: i, command: [sh, -c, "train $RANK $WORLD_SIZE"],
                       env: [{name: WORLD_SIZE, value: "1"}]}
        """;

    assertThat(check(manifest).out()).doesNotContain("JS-168").doesNotContain("JS-169");
    assertThat(check(manifest, "--target=kubernetes:1.36").out())
        .contains("metadata.annotations[regroup.dev/restart-grace]: has effect only with the")
        .contains("warning: spec.replicatedJobs[0].template.spec.template.spec.containers[1]: uses")
        .contains("uses RANK, which only Regroup sets")
        .contains("note: spec.replicatedJobs[0].template.spec.template.spec.containers[0]: misses")
        .contains("misses RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT there");
  }

  /** JS-169: the template's kind wins over the JobSet's (JS-132b). */
  @Test
  void a_grace_has_effect_on_a_cluster_where_the_process_agent_restarts_the_workers()
      throws IOException {
    String everywhere = "jobset.sigs.k8s.io/inject-in-place-restart-agent: process";
    String sidecar = "jobset.sigs.k8s.io/inject-in-place-restart-agent: sidecar";
    String grace = "regroup.dev/restart-grace: '5'";

    assertThat(graces(everywhere, grace)).isEmpty();
    assertThat(graces(everywhere + ", " + grace, "")).isEmpty();
    assertThat(graces(grace, everywhere)).isEmpty();
    assertThat(graces("", grace)).containsExactly("spec.replicatedJobs[0].template.metadata");
    assertThat(graces(everywhere, sidecar + ", " + grace))
        .containsExactly("spec.replicatedJobs[0].template.metadata");
    assertThat(graces(everywhere + ", " + grace, sidecar)).containsExactly("metadata");
  }

  /** Where a grace is said to have no effect, with these annotations on JobSet and template. */
  private List<String> graces(String jobSet, String template) throws IOException {
    var run =
        check(
            """
            apiVersion: jobset.x-k8s.io/v1alpha2
            kind: JobSet
            metadata: {name: a, annotations: {%s}}
            spec:
              failurePolicy: {maxRestarts: 1, restartStrategy: InPlaceRestart}
              replicatedJobs:
              - name: w
                template:
                  metadata: {annotations: {%s}}
                  spec:
                    template: {spec: {containers: [{name: c, image: i, command: [train]}]}}
            """
                .formatted(jobSet, template),
            "--target=kubernetes:1.36");
    return Pattern.compile("(\\S+)\\.annotations\\[regroup.dev/restart-grace]: has effect only")
        .matcher(run.out())
        .results()
        .map(found -> found.group(1))
        .toList();
  }

  @Test
  void gates_are_listed_with_alias_default_and_state() {
    var run = CommandRun.of("gates", "--feature-gates=node/RestartPodOnContainerExits=false");

    assertThat(run.code()).isZero();
    assertThat(run.err()).contains("old name of RestartAllContainersOnContainerExits");
    assertThat(run.out().lines().map(line -> line.replaceAll(" +", " ")))
        .contains(
            "NAME ALIAS DEFAULT KUBERNETES STATE",
            "RestartAllContainersOnContainerExits RestartPodOnContainerExits on on"
                + " server=on,node=off,control=on",
            "TLSOptions - on on on (locked)");
  }
}
