package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Workers that are hurt on purpose: each harm does what it says, and the group comes back. */
class ChaosIT {

  private static final Duration LIMIT = Duration.ofSeconds(120);

  /** Shows that it lives; a probe that sees an old file finds it hanging. */
  private static final String ALIVE =
      "trap \"exit 143\" TERM; while :; do : > /tmp/alive; i=$((i+1)); echo step $i; sleep 0.2;"
          + " done";

  private static final String FRESH = "[ $(($(date +%s) - $(stat -c %Y /tmp/alive))) -lt 3 ]";

  @TempDir static Path folder;

  private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Root.require();
    cluster = Cluster.up(folder);
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void kills_terminates_deletes_and_evicts_and_says_so_before() throws Exception {
    group("ends", "");

    String said =
        chaos(
            0,
            "ends",
            "--plan",
            "kill worker 1; terminate worker 0 after 4s; delete worker 1 after 8s; evict worker"
                + " 0 after 12s");

    assertThat(said)
        .containsSubsequence(
            "chaos: worker 1 gets SIGKILL (pod/ends-w-0-1",
            "container worker was killed (exit code 137)",
            "chaos: worker 0 gets SIGTERM (pod/ends-w-0-0",
            "chaos: worker 1 gets its pod deleted (pod/ends-w-0-1",
            "chaos: worker 0 gets its pod evicted (pod/ends-w-0-0",
            "running for ",
            "4 restarts",
            "chaos: 4 of 4 done");
  }

  @Test
  void a_stopped_worker_hangs_until_its_probe_notices() throws Exception {
    group(
        "hangs",
        """
        livenessProbe:
                        exec: {command: [sh, -c, '%s']}
                        periodSeconds: 1
                        failureThreshold: 3
                        timeoutSeconds: 20
                        terminationGracePeriodSeconds: 1
        """
            .formatted(FRESH));

    String said = chaos(0, "hangs", "--plan", "stop worker 1 at step 3");

    assertThat(said)
        .containsSubsequence(
            "chaos: worker 1 is stopped and hangs (pod/hangs-w-0-1",
            "is stopped, its liveness probe failed",
            "because of hangs-w-0-1")
        .contains("chaos: 1 of 1 done")
        .doesNotContain("nobody will notice");
  }

  @Test
  void a_stop_and_a_cut_for_a_while_end_by_themselves() throws Exception {
    group("pauses", "");

    String said = chaos(0, "pauses", "--plan", "stop worker 0 for 1s; cut worker 1 for 1s");

    assertThat(said)
        .contains("chaos: worker 0 is stopped and hangs for 1s")
        .contains("chaos: worker 1 is cut off from the network for 1s")
        .contains("no restarts")
        .contains("chaos: 2 of 2 done");
  }

  @Test
  void memory_that_is_filled_ends_the_worker_and_not_who_fills_it() throws Exception {
    group("full", "resources: {limits: {memory: 64Mi}}");

    String said = chaos(0, "full", "--plan", "fill worker 1");

    assertThat(said)
        .contains("chaos: worker 1 gets its memory filled")
        .containsPattern("because of full-w-0-1-\\w+: container worker ran out of memory");
  }

  @Test
  void what_cannot_be_done_here_is_refused_with_the_reason() throws Exception {
    group("far", "");

    String said =
        chaos(
            1,
            "far",
            "--data-dir",
            Files.createDirectories(folder.resolve("nobody")).toString(),
            "--plan",
            "cut worker 0 for 5s; fill worker 1");

    assertThat(said)
        .contains("cut worker 0 after 0s for 5s: not done: only Regroup's own nodes on this")
        .contains("fill worker 1 after 0s: not done: the container has no limits.memory")
        .contains("chaos: 0 of 2 done");
  }

  /** As on any cluster: through its API, and nothing of this machine. */
  @Test
  void on_another_cluster_each_harm_is_done_or_says_why_not() throws Exception {
    group("other", "resources: {limits: {memory: 64Mi}}");

    String said =
        chaos(
            1,
            "other",
            "--data-dir",
            folder.toString(),
            "--plan",
            "terminate worker 1; kill worker 0 after 4s; stop worker 0 after 6s for 1s; delete"
                + " worker 1 after 9s; evict worker 0 after 13s; fill worker 1 after 17s");

    assertThat(said)
        .contains("container worker was terminated (exit code 143)")
        .contains("kill worker 0 after 4s: not done: its other processes were killed, but PID 1")
        .containsPattern("because of other-w-0-1-\\w+: was deleted")
        .containsPattern("because of other-w-0-0-\\w+: was evicted")
        .containsPattern("chaos: [45] of 6 done") // by the control groups of this machine
        .doesNotContain("stop worker 0 after 6s for 1s: not done");
  }

  @Test
  void a_single_process_is_safe_from_those_inside() throws Exception {
    group("single", "", "exec sleep 3600");

    String said =
        chaos(
            1,
            "single",
            "--data-dir",
            folder.toString(),
            "--plan",
            "kill worker 0; terminate worker 0; stop worker 0");

    assertThat(said)
        .contains("kill worker 0 after 0s: not done: its only process is PID 1, which nobody")
        .contains("terminate worker 0 after 0s: not done: its only process is PID 1 and does not")
        .contains("stop worker 0 after 0s: not done: its only process is PID 1, which nobody")
        .contains("chaos: 0 of 3 done");
  }

  @Test
  void wrong_input_ends_at_once_with_what_to_do() throws Exception {
    group("some", "");

    assertThat(chaos(2, "some", "--plan", "kill worker 7"))
        .contains("regroup: plan: kill worker 7 after 0s: there is no worker 7 (the group has 2:");
    assertThat(chaos(2, "some")).contains("--plan or --seed: name exactly one of them");
    assertThat(chaos(2, "some", "--seed", "1", "--actions", "kil")).contains("no such action");
    assertThat(chaos(3, "none", "--seed", "1")).contains("no JobSet \"none\" in namespace default");
  }

  private static void group(String name, String field) throws Exception {
    group(name, field, ALIVE);
  }

  private static void group(String name, String field, String script) throws Exception {
    cluster
        .kube()
        .create(
            Workers.JOB_SETS,
            """
            apiVersion: jobset.x-k8s.io/v1alpha2
            kind: JobSet
            metadata: {name: %s}
            spec:
              failurePolicy: {maxRestarts: 9, restartStrategy: InPlaceRestart}
              replicatedJobs:
              - name: w
                template:
                  spec:
                    parallelism: 2
                    completions: 2
                    template:
                      spec:
                        terminationGracePeriodSeconds: 1
                        containers:
                        - name: worker
                          image: none
                          command: [sh, -c, '%s']
                          %s
            """
                .formatted(name, script, field));
  }

  private static String chaos(int code, String name, String... options) throws Exception {
    var arguments =
        new ArrayList<>(
            List.of(
                "chaos",
                "jobset/" + name,
                "--kubeconfig",
                cluster.kubeconfig().toString(),
                "--timeout",
                "90s"));
    if (!List.of(options).contains("--data-dir")) {
      arguments.addAll(List.of("--data-dir", cluster.data().toString()));
    }
    arguments.addAll(List.of(options));
    try (var program = Program.start(Map.of(), arguments)) {
      assertThat(program.awaitExit(LIMIT)).as(program.output()).isEqualTo(code);
      return program.output();
    } finally {
      cluster.kube().delete(Workers.JOB_SETS + "/" + name, "propagationPolicy=Background");
    }
  }
}
