package dev.regroup.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The manifests that the specification gives as patterns mean what it says they mean. */
class AgentManifestTest {

  private static final String ANY_FAILURE =
      "{action: RestartAllContainers, exitCodes: {operator: NotIn, values: [0]}}";

  private static final String ACCOUNT =
      """
      ---
      apiVersion: v1
      kind: ServiceAccount
      metadata: {name: jobset-in-place-restart}
      """;

  @TempDir Path directory;

  private static String sidecarMode(String failurePolicy, String jobSpec, String workerRule) {
    return """
    apiVersion: jobset.x-k8s.io/v1alpha2
    kind: JobSet
    metadata: {name: train}
    spec:
      failurePolicy: {maxRestarts: 3, restartStrategy: InPlaceRestart%s}
      replicatedJobs:
      - name: w
        replicas: 2
        template:
          spec:
            completions: 2
            parallelism: 2
            backoffLimit: 2147483647
            podReplacementPolicy: Failed
            %s
            template:
              spec:
                restartPolicy: Never
                serviceAccountName: jobset-in-place-restart
                initContainers:
                - name: agent
                  image: a
                  restartPolicy: Always
                  restartPolicyRules: [%s]
                  startupProbe: {httpGet: {path: /barrier-is-down, port: 8081}, periodSeconds: 1, failureThreshold: 600}
                containers:
                - name: worker
                  image: w
                  restartPolicy: Never
                  restartPolicyRules: [%s]
    """
        .formatted(failurePolicy, jobSpec, ANY_FAILURE, workerRule);
  }

  private List<String> explain(String manifest) throws IOException {
    var run = CommandRun.on(directory, manifest, "explain");
    assertThat(run.code()).as(run.err()).isZero();
    return run.out().lines().map(line -> line.replaceAll(" {3,}", " | ")).toList();
  }

  /** JS-130, JS-132c. */
  @Test
  void with_an_agent_beside_it_a_worker_that_fails_restarts_the_pod_in_place() throws IOException {
    String manifest = sidecarMode("", "", ANY_FAILURE);

    assertThat(CommandRun.on(directory, manifest + ACCOUNT, "check").code()).isZero();
    assertThat(explain(manifest))
        .contains(
            "agent (sidecar) | any other | restart all containers in place | keep Pod | restart"
                + " group in place (at most 3) | restartPolicyRules[0]",
            "worker | 0 | Pod succeeds | complete with the other Pods | complete with the other"
                + " Jobs | restartPolicy",
            "worker | any other | restart all containers in place | keep Pod | restart group in"
                + " place (at most 3) | restartPolicyRules[0]");
  }

  /** JS-132d. */
  @Test
  void fatal_codes_end_the_jobset_and_others_cost_a_pod() throws IOException {
    String manifest =
        sidecarMode(
            ", rules: [{action: FailJobSet, onJobFailureReasons: [PodFailurePolicy]}]",
            "podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {containerName: worker,"
                + " operator: In, values: [3]}}]}",
            "{action: RestartAllContainers, exitCodes: {operator: In, values: [42]}}");

    assertThat(explain(manifest))
        .contains(
            "worker | 3 | Pod fails | fail Job (PodFailurePolicy) | fail JobSet"
                + " (FailJobSetFailurePolicyAction) | restartPolicy",
            "worker | 42 | restart all containers in place | keep Pod | restart group in place (at"
                + " most 3) | restartPolicyRules[0]")
        .anyMatch(line -> line.startsWith("worker | any other | Pod fails | recreate Pod |"));
  }
}
