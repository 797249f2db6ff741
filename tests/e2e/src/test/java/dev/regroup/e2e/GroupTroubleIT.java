package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.JOB_SETS;
import static dev.regroup.e2e.Workers.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Groups that fail for good, cannot start, or take their time to end, with real processes. */
class GroupTroubleIT {

  private static final int ROUNDS = 10;

  @TempDir static Path folder;

  private static Cluster cluster;
  private static Kube kube;

  @BeforeAll
  static void start() throws Exception {
    Root.require();
    cluster = Cluster.up(folder);
    kube = cluster.kube();
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  /** AS-56, AS-75: the pods name no restart policy; with restarts left or without. */
  @Test
  void a_fatal_code_reaches_the_failure_policy_although_no_restart_is_left_js160b()
      throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      var group = new Workers(folder, "fatal-" + round, 2);
      kube.create(JOB_SETS, group.manifestWithFatalCode(round / 2 % 2));
      group.awaitRunning(kube, 0);

      group.exit(0, round % 2, 3);
      var failed = group.awaitCondition(kube, "Failed");

      assertThat(Kube.condition(failed, "Failed").path("reason").asText())
          .as("round %d", round)
          .isEqualTo("FailJobSetFailurePolicyAction");
      assertThat(failed.path("status").has("previousInPlaceRestartAttempt")).isFalse();
    }
  }

  @Test
  void a_fatal_code_restarts_the_jobset_although_no_restart_is_left_js160b() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      var group = new Workers(folder, "again-" + round, 2);
      kube.create(JOB_SETS, group.manifestWithFatalCode(0, "RestartJobSetAndIgnoreMaxRestarts"));
      group.awaitRunning(kube, 0);

      group.exit(0, round % 2, 3);
      group.awaitRunning(kube, 1);

      var status = group.jobSet(kube).path("status");
      assertThat(status.path("restarts").asInt()).as("round %d: %s", round, status).isEqualTo(1);
      assertThat(status.path("inPlaceRestartsCountTowardsMax").asInt()).isZero();
      group.exitAll(1, 0);
      group.awaitCondition(kube, "Completed");
    }
  }

  @Test
  void a_pod_that_cannot_reach_the_barrier_is_slowed_down_and_named_acc091a() throws Exception {
    var group = new Workers(folder, "stuck", 2);
    var repaired = folder.resolve("stuck/repaired");
    createWithInit(
        group,
        """
        - name: setup
          image: host
          command: [sh, -c, "test -e %s"]
          restartPolicy: Never
          restartPolicyRules:
          - action: RestartAllContainers
            exitCodes: {operator: NotIn, values: [0]}
          volumeMounts:
          - {name: shared, mountPath: %s}
        """
            .formatted(repaired, repaired.getParent()));

    assertSlowedDown(group, "setup");
    Files.createFile(repaired);
    group.awaitRunning(kube, 0);
    long failure = System.nanoTime();
    group.exit(0, 0, 1);
    group.awaitRunning(kube, 1);

    var taken = Duration.ofNanos(System.nanoTime() - failure);
    assertThat(taken)
        .as("a running worker's failure is not slowed: the pod's next restart would wait 40 s")
        .isLessThan(LIMIT.dividedBy(2));
    var status = group.jobSet(kube).path("status");
    assertThat(status.path("inPlaceRestartsCountTowardsMax").asInt()).isEqualTo(1);
    group.exitAll(1, 0);
    group.awaitCondition(kube, "Completed");
  }

  /** What fails before the barrier is counted since the last time all were in step (JS-145). */
  @Test
  void an_init_container_that_fails_again_and_again_fails_the_group_as55() throws Exception {
    var group = new Workers(folder, "runaway", 2);
    kube.create(
        JOB_SETS,
        group
            .manifest(1)
            .replace(
                "            containers:\n",
                """
                            restartPolicy: OnFailure
                            initContainers:
                            - {name: setup, image: host, command: [sh, -c, "exit 1"]}
                            containers:
                """));

    var failed = group.awaitCondition(kube, "Failed");

    assertThat(Kube.condition(failed, "Failed").path("reason").asText())
        .isEqualTo("ReachedMaxRestarts");
    assertThat(failed.path("status").has("currentInPlaceRestartAttempt")).isFalse();
  }

  @Test
  void an_agent_that_ends_at_once_is_slowed_down_and_named_rac54_acc091a() throws Exception {
    var group = new Workers(folder, "agentless", 2);
    createWithInit(
        group,
        """
        - name: agent
          image: host
          command: [sh, -c, "exit 1"]
          restartPolicy: Always
          restartPolicyRules:
          - action: RestartAllContainers
            exitCodes: {operator: NotIn, values: []}
        """);

    assertSlowedDown(group, "agent");
    kube.delete(JOB_SETS + "/" + group.name(), "");
    kube.awaitGone(Workers.PODS, group.podsQuery(), LIMIT);
  }

  private static void createWithInit(Workers group, String containers) throws Exception {
    String before = "            containers:\n";
    kube.create(
        JOB_SETS,
        group
            .manifest(3)
            .replace(before, "            initContainers:\n" + containers.indent(12) + before));
  }

  /**
   * The first restart comes at once, the second after 10 s, the third after 20 s more (RAC-51); a
   * pod that waits counts the restart it waits for. So one that waits for the third has been held
   * back once, whoever looks when.
   */
  private static void assertSlowedDown(Workers group, String culprit) throws Exception {
    var counts = new TreeMap<String, Integer>();
    var pods =
        kube.await(
            Workers.PODS,
            group.podsQuery(),
            seen -> {
              seen.forEach((name, pod) -> counts.merge(name, restartsOf(pod), Math::max));
              return seen.size() == 2
                  && seen.values().stream().allMatch(pod -> restartsOf(pod) >= 3 && waits(pod));
            },
            LIMIT);

    assertThat(counts)
        .as("no brake")
        .hasSize(2)
        .allSatisfy((_, count) -> assertThat(count).isEqualTo(3));
    for (JsonNode pod : pods.values()) {
      var created = Instant.parse(pod.path("metadata").path("creationTimestamp").asText());
      assertThat(Duration.between(created, Instant.now()))
          .as("the second restart of %s", pod.path("metadata").path("name").asText())
          .isGreaterThan(Duration.ofSeconds(9)); // stamps are whole seconds
    }
    var named = "CrashLoopBackOff (container " + culprit + " exited with code 1)";
    var waiting =
        kube.awaitOne(JOB_SETS, group.name(), set -> barrierMessage(set).contains(named), LIMIT);
    assertThat(barrierMessage(waiting)).contains("0 of 2 at attempt 0", group.name() + "-w-0-");
    assertThat(waiting.path("status").path("inPlaceRestartsCountTowardsMax").asInt()).isZero();
    var later = kube.list(Workers.PODS, group.podsQuery());
    assertThat(later).hasSize(2);
    for (JsonNode pod : later) {
      assertThat(restartsOf(pod)).as("no brake").isBetween(3, 4);
    }
  }

  /** Why the barrier stands; empty when it does not. */
  private static String barrierMessage(JsonNode jobSet) {
    var condition = Kube.condition(jobSet, "BarrierWaiting");
    boolean stands = condition.path("status").asText().equals("True");
    return stands ? condition.path("message").asText() : "";
  }

  private static int restartsOf(JsonNode pod) {
    return first(pod).path("restartCount").asInt();
  }

  private static boolean waits(JsonNode pod) {
    return first(pod)
        .path("state")
        .path("waiting")
        .path("reason")
        .asText()
        .equals("CrashLoopBackOff");
  }

  private static JsonNode first(JsonNode pod) {
    return pod.path("status").path("initContainerStatuses").path(0);
  }

  @Test
  void workers_know_their_rank_also_when_jobs_are_made_anew_js168() throws Exception {
    var ranks = Files.createDirectory(folder.resolve("ranks"));
    kube.create(
        JOB_SETS,
        """
        apiVersion: jobset.x-k8s.io/v1alpha2
        kind: JobSet
        metadata: {name: ranks}
        spec:
          failurePolicy: {maxRestarts: 1}
          replicatedJobs:
          - name: driver
            template:
              metadata:
                annotations: {jobset.sigs.k8s.io/inject-in-place-restart-agent: none}
              spec:
                parallelism: 1
                completions: 1
                template:
                  spec: &pod
                    containers:
                    - name: one
                      image: host
                      command: [sh, -c, "echo ${RANK-none} of ${WORLD_SIZE-none} at ${MASTER_ADDR-none} >%1$s/$HOSTNAME"]
                      volumeMounts:
                      - {name: shared, mountPath: %1$s}
                    volumes:
                    - name: shared
                      hostPath: {path: %1$s}
          - name: a
            replicas: 2
            template:
              spec:
                parallelism: 2
                completions: 2
                template: {spec: *pod}
        """
            .formatted(ranks));

    new Workers(folder, "ranks", 0).awaitCondition(kube, "Completed");

    assertThat(Files.readString(ranks.resolve("ranks-driver-0-0")))
        .isEqualTo("none of none at none\n");
    for (int rank = 0; rank < 4; rank++) {
      assertThat(Files.readString(ranks.resolve("ranks-a-%d-%d".formatted(rank / 2, rank % 2))))
          .isEqualTo(rank + " of 4 at ranks-a-0-0.ranks\n");
    }
  }

  @Test
  void the_grace_of_a_restart_is_what_the_jobset_says_js169() throws Exception {
    for (var grace : new String[] {"0", "30"}) {
      int saving = grace.equals("0") ? 60 : 1; // seconds; far from its grace, on any machine
      var group = new Workers(folder, "grace-" + grace, 2);
      var caught = folder.resolve("grace-" + grace + "/caught");
      kube.create(
          JOB_SETS,
          group
              .manifest(3, "trap 'sleep %d; touch %s; exit 0' TERM".formatted(saving, caught))
              .replace(
                  "annotations: {}",
                  "annotations: {regroup.dev/restart-grace: '%s'}".formatted(grace)));
      group.awaitRunning(kube, 0);

      group.exit(0, 0, 1);
      group.awaitRunning(kube, 1);

      assertThat(Files.exists(caught)).as("grace " + grace).isEqualTo(grace.equals("30"));
      group.exitAll(1, 0);
      group.awaitCondition(kube, "Completed");
    }
  }
}
