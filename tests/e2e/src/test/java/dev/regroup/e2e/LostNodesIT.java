package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.JOB_SETS;
import static dev.regroup.e2e.Workers.LIMIT;
import static dev.regroup.e2e.Workers.PODS;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.client.Request;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Machines that are lost, with real processes: several nodes in one program, one of which is killed
 * or cut off. {@code -Dlost.workers=50} makes the groups larger.
 */
class LostNodesIT {

  private static final String NODES = "/api/v1/nodes";
  private static final int SIZE = Integer.getInteger("lost.workers", 6);
  private static final int BUDGET = 3;
  private static final Duration GRACE = Duration.ofSeconds(5);

  private static final String[] THREE_NODES = {
    "--nodes", "3",
    "--set", "nodeMonitorGracePeriod=" + GRACE.toSeconds() + "s",
    "--set", "podForceFailAfter=2s"
  };

  @TempDir Path folder;

  /** AS-62. */
  @Test
  void pods_of_a_killed_node_move_and_the_others_restart_in_place_js136_js160() throws Exception {
    Root.require();
    try (var cluster = Cluster.up(folder, THREE_NODES)) {
      var kube = cluster.kube();
      var group = new Workers(folder, "killed", SIZE);
      kube.create(JOB_SETS, group.manifest(BUDGET));
      var before = group.awaitRunning(kube, 0);
      var nodes = nodes(before);
      assertThat(nodes).as("pods spread").hasSize(3);
      String lost = nodes.last();

      act(cluster, "kill", lost);
      var after = group.awaitLive(kube, 1);

      var stayed = new TreeMap<>(before);
      stayed.values().removeIf(pod -> nodeOf(pod).equals(lost));
      assertThat(Workers.identities(after))
          .as("they keep pod and address")
          .containsAllEntriesOf(Workers.identities(stayed));
      assertThat(nodes(after)).as("nobody is on the lost node").doesNotContain(lost);
      assertOneRestart(kube, group);
      assertThat(group.processes()).hasSize(SIZE).allMatch(worker -> worker.attempt() == 1);
      assertThat(group.wrongs()).as("never two attempts at once").isEmpty();

      act(cluster, "start", lost);
      awaitNode(kube, lost, LostNodesIT::isReady);
      group.exitAll(1, 0);
      group.awaitCondition(kube, "Completed");
      assertOneRestart(kube, group);
      assertThat(group.wrongs()).isEmpty();
    }
  }

  @Test
  void a_node_that_comes_back_stops_what_was_given_up_before_anything_else_js136()
      throws Exception {
    Root.require();
    try (var cluster = Cluster.up(folder, THREE_NODES)) {
      var kube = cluster.kube();
      var group = new Workers(folder, "cut", SIZE);
      kube.create(JOB_SETS, group.manifest(BUDGET));
      var before = group.awaitRunning(kube, 0);
      String cut = nodes(before).last();
      long there = before.values().stream().filter(pod -> nodeOf(pod).equals(cut)).count();

      act(cluster, "stop", cut);
      group.awaitLive(kube, 1);

      assertThat(group.processes())
          .as("behind the cut the workers run on: the one exception")
          .filteredOn(worker -> worker.attempt() == 0)
          .hasSize((int) there);
      assertThat(logs(kube, before, cut)).contains("is not connected to this server");

      try (var start = node(cluster, "start", cut)) {
        awaitNode(kube, cut, LostNodesIT::isReady);
        assertThat(group.processes())
            .as("the node is heard again after they have ended")
            .hasSize(SIZE)
            .allMatch(worker -> worker.attempt() == 1);
        assertThat(start.awaitExit(LIMIT)).as(start.output()).isZero();
      }
      assertOneRestart(kube, group);
      awaitNode(kube, cut, node -> node.path("spec").path("taints").isEmpty());
      group.exitAll(1, 0);
      group.awaitCondition(kube, "Completed");
      assertThat(group.wrongs())
          .as("behind the cut only")
          .allMatch(wrong -> wrong.startsWith("attempts 0 and 1 at once"));
    }
  }

  @Test
  void a_group_waits_for_a_node_that_comes_back_in_time_js136_js160() throws Exception {
    Root.require();
    try (var cluster = Cluster.up(folder, "--nodes", "2", "--set", "nodeMonitorGracePeriod=3s")) {
      var kube = cluster.kube();
      var group = new Workers(folder, "back", SIZE);
      kube.create(JOB_SETS, group.manifest(BUDGET));
      var before = group.awaitRunning(kube, 0);
      String lost = nodes(before).last();

      act(cluster, "kill", lost);
      awaitNode(kube, lost, node -> !isReady(node));
      kube.awaitOne(
          JOB_SETS,
          group.name(),
          set -> set.path("status").has("previousInPlaceRestartAttempt"),
          LIMIT);
      act(cluster, "start", lost);
      var after = group.awaitRunning(kube, 1);

      assertThat(uids(after)).as("nobody was replaced").isEqualTo(uids(before));
      assertOneRestart(kube, group);
      assertThat(group.wrongs()).isEmpty();
      group.exitAll(1, 0);
      group.awaitCondition(kube, "Completed");
    }
  }

  @Test
  void nobody_is_lost_when_the_whole_program_slept() throws Exception {
    Root.require();
    try (var cluster = Cluster.up(folder, THREE_NODES)) {
      var kube = cluster.kube();
      var group = new Workers(folder, "asleep", SIZE);
      kube.create(JOB_SETS, group.manifest(BUDGET));
      var before = group.awaitRunning(kube, 0);

      signal(cluster, "STOP");
      long awake = System.nanoTime() + GRACE.multipliedBy(3).toNanos();
      ClusterProcesses.await(() -> System.nanoTime() >= awake, "a long sleep");
      signal(cluster, "CONT");

      awaitRenewals(kube, 3);
      assertThat(kube.list(NODES, "")).hasSize(3).allMatch(LostNodesIT::isReady);
      assertThat(group.jobSet(kube).path("status").has("previousInPlaceRestartAttempt")).isFalse();
      assertThat(Workers.identities(group.awaitRunning(kube, 0)))
          .isEqualTo(Workers.identities(before));
      group.exitAll(0, 0);
      group.awaitCondition(kube, "Completed");
    }
  }

  @Test
  void with_fewer_nodes_what_ran_on_the_others_ends_and_the_rest_is_adopted() throws Exception {
    Root.require();
    try (var cluster = Cluster.up(folder, "--nodes", "2")) {
      var group = new Workers(folder, "fewer", 2);
      cluster.kube().create(JOB_SETS, group.manifest(BUDGET));
      var before = group.awaitRunning(cluster.kube(), 0);
      String first = nodes(before).first();
      String gone = nodes(before).last();
      var kept = group.processes().stream().filter(one -> rankOn(before, first) == one.rank());
      var expected = kept.toList();

      cluster.kill();
      cluster.startWith(
          "--nodes",
          "1",
          "--set",
          "nodeMonitorGracePeriod=3s",
          "--set",
          "failOnNodeUnreachable=false");

      cluster.program().awaitLine(line -> line.contains("node " + gone + " is not started"), LIMIT);
      awaitNode(cluster.kube(), gone, node -> !isReady(node));
      assertThat(group.processes()).as("the group waits").isEqualTo(expected);
    }
  }

  private static int rankOn(Map<String, JsonNode> pods, String node) {
    return pods.values().stream()
        .filter(pod -> nodeOf(pod).equals(node))
        .map(pod ->
            pod.path("metadata")
                .path("annotations")
                .path("batch.kubernetes.io/job-completion-index")
                .asInt())
        .findFirst()
        .orElseThrow();
  }

  private static void assertOneRestart(Kube kube, Workers group) throws Exception {
    var status = group.jobSet(kube).path("status");
    assertThat(status.path("currentInPlaceRestartAttempt").asInt()).as("%s", status).isEqualTo(1);
    assertThat(status.path("previousInPlaceRestartAttempt").asInt(-1)).isZero();
    assertThat(status.path("inPlaceRestartsCountTowardsMax").asInt()).isEqualTo(1);
    assertThat(status.path("restarts").asInt()).isZero();
    assertThat(status.path("inPlaceRestarts").path(0).path("reason").asText())
        .isEqualTo("NodeUnreachable");
  }

  private static String logs(Kube kube, Map<String, JsonNode> pods, String node) throws Exception {
    String pod =
        pods.entrySet().stream()
            .filter(entry -> nodeOf(entry.getValue()).equals(node))
            .map(Map.Entry::getKey)
            .findFirst()
            .orElseThrow();
    return new String(
        kube.transport().send(Request.get(PODS + "/" + pod + "/log", "")).body(), UTF_8);
  }

  private static void awaitNode(Kube kube, String node, Predicate<JsonNode> wanted)
      throws Exception {
    kube.awaitOne(NODES, node, wanted, LIMIT);
  }

  /** Every node renews its lease so many times from now on. */
  private static void awaitRenewals(Kube kube, int times) throws Exception {
    var seen = new HashMap<String, TreeSet<String>>();
    kube.await(
        "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases",
        "",
        leases -> {
          leases.forEach((name, lease) ->
              seen.computeIfAbsent(name, _ -> new TreeSet<>())
                  .add(lease.path("spec").path("renewTime").asText()));
          return seen.size() == 3
              && seen.values().stream().allMatch(renewals -> renewals.size() > times);
        },
        LIMIT);
  }

  private static boolean isReady(JsonNode node) {
    return Kube.condition(node, "Ready").path("status").asText().equals("True");
  }

  private static TreeSet<String> nodes(Map<String, JsonNode> pods) {
    var nodes = new TreeSet<String>();
    pods.values().forEach(pod -> nodes.add(nodeOf(pod)));
    return nodes;
  }

  private static String nodeOf(JsonNode pod) {
    return pod.path("spec").path("nodeName").asText();
  }

  private static TreeSet<String> uids(Map<String, JsonNode> pods) {
    var uids = new TreeSet<String>();
    pods.values().forEach(pod -> uids.add(pod.path("metadata").path("uid").asText()));
    return uids;
  }

  private static Program node(Cluster cluster, String act, String node) throws Exception {
    return Program.start(
        Map.of(), List.of("node", act, node, "--data-dir", cluster.data().toString()));
  }

  private static void act(Cluster cluster, String act, String node) throws Exception {
    try (var program = node(cluster, act, node)) {
      assertThat(program.awaitExit(LIMIT)).as(program.output()).isZero();
    }
  }

  private static void signal(Cluster cluster, String signal) throws Exception {
    var kill = new ProcessBuilder("kill", "-" + signal, "" + cluster.program().pid()).start();
    assertThat(kill.waitFor()).isZero();
  }
}
