package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.JOB_SETS;
import static dev.regroup.e2e.Workers.LIMIT;
import static dev.regroup.e2e.Workers.PODS;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.yaml.YamlDocuments;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What groups make of others beside them, with real processes. */
class GroupNeighboursIT {

  @TempDir static Path folder;

  private static Cluster cluster;
  private static Kube kube;

  @BeforeAll
  static void start() throws Exception {
    Root.require();
    cluster =
        Cluster.up(folder, "--set", "crashLoopBackOff.maxContainerRestartPeriod=1s"); // not 5 min
    kube = cluster.kube();
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  /** One stands at its barrier for as long as the other needs for a restart of its own. */
  @Test
  void two_groups_restart_at_the_same_time_as74() throws Exception {
    var slow = new Workers(folder, "slow", 2);
    var quick = new Workers(folder, "quick", 2);
    kube.create(JOB_SETS, slow.manifestWithGate(3));
    kube.create(JOB_SETS, quick.manifest(3));
    slow.awaitRunning(kube, 0);
    quick.awaitRunning(kube, 0);

    slow.hold(1);
    slow.exit(0, 0, 1);
    slow.awaitHeld(1);
    quick.exit(0, 0, 1);
    quick.awaitRunning(kube, 1);

    assertThat(slow.jobSet(kube).at("/status/previousInPlaceRestartAttempt").asInt(-1)).isZero();
    assertThat(slow.wasUp(1, 0)).as("its barrier stands").isFalse();
    slow.release(1);
    slow.awaitRunning(kube, 1);
    finish(slow, 1, 1);
    finish(quick, 1, 1);
  }

  /** A helper without a rule of its own is nobody's affair but its own. */
  @Test
  void a_logging_sidecar_that_restarts_ten_times_restarts_no_group_as85() throws Exception {
    var group = new Workers(folder, "logged", 2);
    var manifest = tree(group.manifest(3));
    podSpec(manifest)
        .putArray("initContainers")
        .add(
            Kube.JSON.readTree(
                """
                {"name": "logger", "image": "host", "command": ["sh", "-c", "exit 1"],
                 "restartPolicy": "Always"}\
                """));
    kube.create(JOB_SETS, manifest);
    var before = group.awaitRunning(kube, 0);

    kube.await(
        PODS,
        group.podsQuery(),
        pods ->
            pods.size() == 2
                && pods.values().stream()
                    .allMatch(pod ->
                        pod.at("/status/initContainerStatuses/0/restartCount").asInt() >= 10),
        LIMIT);

    assertThat(Workers.identities(group.awaitRunning(kube, 0)))
        .isEqualTo(Workers.identities(before));
    assertThat(group.jobSet(kube).path("status").has("previousInPlaceRestartAttempt")).isFalse();
    finish(group, 0, 0);
  }

  /**
   * Pods of a JobSet that was deleted take their time to end. Their agents see the orders of the
   * next one of that name, and obey none.
   */
  @Test
  void pods_of_a_deleted_jobset_take_no_orders_of_its_namesake_as81() throws Exception {
    for (String kind : List.of("node", "sidecar", "process")) {
      var place = new Workers.Place("host", kind, LIMIT);
      var first = new Workers(folder.resolve("first-" + kind), "same-" + kind, 2, place);
      var second = new Workers(folder.resolve("second-" + kind), "same-" + kind, 2, place);
      var manifest = tree(first.manifest(3, "trap '' TERM"));
      podSpec(manifest).put("terminationGracePeriodSeconds", 600);
      kube.create(JOB_SETS, manifest);
      var old = first.awaitRunning(kube, 0);

      kube.delete(JOB_SETS + "/" + first.name(), "propagationPolicy=Background");
      kube.awaitGone(JOB_SETS, "fieldSelector=metadata.name%3D" + first.name(), LIMIT);
      kube.create(JOB_SETS, second.manifest(3));
      second.awaitAttempt(0);
      second.exit(0, 0, 1);
      second.awaitAttempt(1);

      var now =
          kube.await(
              PODS,
              second.podsQuery(),
              pods -> // a watch tells of one after the other
              pods.keySet().containsAll(old.keySet()) // they take their time
                      && without(pods, old).values().stream().filter(Workers::running).count() == 2,
              LIMIT);
      for (String name : old.keySet()) {
        assertThat(Workers.attempt(now.get(name))).as(kind).isEqualTo("0");
        assertThat(Workers.restarts(now.get(name))).isZero();
        assertThat(now.get(name).at("/status/initContainerStatuses/0/restartCount").asInt())
            .isZero();
      }
      first.exitAll(0, 0);
      second.awaitRunning(kube, 1); // none but its own pods is left
      finish(second, 1, 1);
      assertThat(first.wrongs()).isEmpty();
    }
  }

  /** One part has agents that know only the names of the proposal. */
  @Test
  void agents_of_both_spellings_share_a_barrier_and_restart_together_as70() throws Exception {
    var group = new Workers(folder, "spellings", 4, new Workers.Place("host", "sidecar", LIMIT));
    var manifest =
        Workers.inParts(
            group.manifest(3),
            List.of(
                new Workers.Part("draft", EntryPointAgent.ANNOTATION, 2),
                new Workers.Part("released", "sidecar", 2)));
    addDraftAgent((ObjectNode) manifest.at("/spec/replicatedJobs/0/template/spec/template/spec"));
    kube.create(JOB_SETS, manifest);
    var before = group.awaitRunning(kube, 0, GroupNeighboursIT::anyAttempt);

    group.exit(0, 0, 1); // of the draft
    group.awaitRunning(kube, 1, GroupNeighboursIT::anyAttempt);
    group.exit(1, 3, 1); // of the released
    var after = group.awaitRunning(kube, 2, GroupNeighboursIT::anyAttempt);

    assertThat(Workers.identities(after)).isEqualTo(Workers.identities(before));
    assertThat(after.values().stream().filter(pod -> !Workers.attempt(pod).isEmpty()))
        .as("each wrote its own name")
        .hasSize(2);
    finish(group, 2, 2);
  }

  /** What either spelling says, as an attempt. */
  private static String anyAttempt(JsonNode pod) {
    String released = Workers.attempt(pod);
    var epoch = pod.at("/metadata/annotations/jobset.sigs.k8s.io~1epoch");
    return released.isEmpty() && !epoch.isMissingNode() ? "" + (epoch.asInt() - 1) : released;
  }

  private static void addDraftAgent(ObjectNode podSpec) throws Exception {
    podSpec.put("serviceAccountName", "jobset-in-place-restart");
    podSpec
        .putArray("initContainers")
        .add(
            Kube.JSON.readTree(
                """
                {"name": "agent", "image": "regroup.dev/in-place-restart-agent:v1",
                 "command": ["/in-place-restart-agent"], "restartPolicy": "Always",
                 "restartPolicyRules": [{"action": "RestartPod",
                   "exitCodes": {"operator": "NotIn", "values": [0]}}],
                 "startupProbe": {"httpGet": {"path": "/barrier-is-lifted", "port": 8080},
                   "periodSeconds": 1, "failureThreshold": 3600},
                 "env": [
                   {"name": "NAMESPACE", "value": "default"},
                   {"name": "POD_NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
                   {"name": "JOBSET_NAME", "valueFrom": {"fieldRef": {"fieldPath":
                     "metadata.annotations['jobset.sigs.k8s.io/jobset-name']"}}}],
                 "volumeMounts": [{"name": "attempt", "mountPath": "/var/run/jobset"}]}\
                """));
    podSpec
        .withArrayProperty("volumes")
        .add(Kube.JSON.readTree("{\"name\": \"attempt\", \"emptyDir\": {}}"));
    var worker = (ObjectNode) podSpec.at("/containers/0");
    worker.put("restartPolicy", "Never");
    worker.set(
        "restartPolicyRules",
        Kube.JSON.readTree(
            """
            [{"action": "RestartPod", "exitCodes": {"operator": "NotIn", "values": [0]}}]\
            """));
    worker
        .withArrayProperty("volumeMounts")
        .add(Kube.JSON.readTree("{\"name\": \"attempt\", \"mountPath\": \"/var/run/jobset\"}"));
  }

  private static Map<String, JsonNode> without(
      Map<String, JsonNode> pods, Map<String, JsonNode> others) {
    var left = new TreeMap<>(pods);
    left.keySet().removeAll(others.keySet());
    return left;
  }

  private static ObjectNode tree(String manifest) throws Exception {
    return (ObjectNode) YamlDocuments.read(manifest.getBytes(UTF_8)).getFirst().root();
  }

  private static ObjectNode podSpec(JsonNode jobSet) {
    return (ObjectNode) jobSet.at("/spec/replicatedJobs/0/template/spec/template/spec");
  }

  private static void finish(Workers group, int attempt, int spent) throws Exception {
    var status = group.jobSet(kube).path("status");
    assertThat(status.path("inPlaceRestartsCountTowardsMax").asInt()).isEqualTo(spent);
    group.exitAll(attempt, 0);
    group.awaitCondition(kube, "Completed");
    assertThat(group.wrongs()).isEmpty();
  }
}
