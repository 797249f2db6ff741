package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.JOB_SETS;
import static dev.regroup.e2e.Workers.LIMIT;
import static dev.regroup.e2e.Workers.PODS;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.yaml.YamlDocuments;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A group that keeps to one rack of a cluster with three nodes, and what becomes of it when its
 * leader is in another one than those who follow it (JS-91b), with real processes.
 */
class ExclusivePlacementIT {

  private static final String NODES = "/api/v1/nodes";
  private static final String TOPOLOGY = "alpha.jobset.sigs.k8s.io/exclusive-topology";

  @TempDir Path folder;

  private Cluster cluster;
  private Kube kube;
  private List<String> nodes;

  @BeforeEach
  void start() throws Exception {
    Root.require();
    cluster = Cluster.up(folder, "--nodes", "3");
    kube = cluster.kube();
    nodes = new ArrayList<>();
    kube.list(NODES, "").forEach(node -> nodes.add(node.at("/metadata/name").asText()));
    assertThat(nodes).hasSize(3);
  }

  @AfterEach
  void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  /** AS-39. */
  @Test
  void followers_go_where_their_leader_is_when_its_rack_changes_js91b() throws Exception {
    label(nodes.get(0), "r1");
    label(nodes.get(1), "r1");
    label(nodes.get(2), "r9");
    var group = group("racks", "rack");
    var before = group.awaitRunning(kube, 0);
    var leader = leader(before);
    assertThat(nodes(before))
        .as("one rack, both of its nodes")
        .hasSize(2)
        .doesNotContain(nodes.get(2));

    label(node(leader), "r2");
    var after = group.awaitLive(kube, 1);

    assertFollowed(before, after);
    assertThat(uid(leader(after))).as("the leader stays").isEqualTo(uid(leader));
    assertThat(group.jobSet(kube).at("/status/inPlaceRestartsCountTowardsMax").asInt())
        .isEqualTo(1);
    finish(group);
  }

  /**
   * Followers that came after their node had closed wait for it; the leader that is made anew then
   * finds a place elsewhere.
   */
  @Test
  void followers_that_wait_for_a_closed_node_go_where_their_leader_went_js91b() throws Exception {
    var group = group("closed", "kubernetes.io/hostname");
    var before = group.awaitRunning(kube, 0);
    var leader = leader(before);
    assertThat(nodes(before)).containsExactly(node(leader));

    patchNode(node(leader), "{\"spec\":{\"unschedulable\":true}}");
    for (JsonNode pod : before.values()) {
      if (!isLeader(pod)) {
        delete(pod);
      }
    }
    kube.await(
        PODS,
        group.podsQuery(),
        pods -> pods.size() == 3 && pods.values().stream().filter(this::isNowhere).count() == 2,
        LIMIT);
    delete(leader);
    var after = group.awaitLive(kube, 1);

    assertFollowed(before, after);
    assertThat(nodes(after)).doesNotContain(node(leader));
    finish(group);
  }

  private Workers group(String name, String topology) throws Exception {
    var group = new Workers(folder, name, 3);
    var manifest = YamlDocuments.read(group.manifest(5).getBytes(UTF_8)).getFirst().root();
    ((ObjectNode) manifest.at("/metadata/annotations")).put(TOPOLOGY, topology);
    kube.create(JOB_SETS, manifest);
    return group;
  }

  private void label(String node, String rack) throws Exception {
    patchNode(node, "{\"metadata\":{\"labels\":{\"rack\":\"%s\"}}}".formatted(rack));
  }

  private void patchNode(String node, String merge) throws Exception {
    assertThat(kube.patch(NODES + "/" + node, merge).path("kind").asText()).isEqualTo("Node");
  }

  private void delete(JsonNode pod) throws Exception {
    kube.delete(PODS + "/" + pod.at("/metadata/name").asText(), "");
  }

  private boolean isNowhere(JsonNode pod) {
    return !isLeader(pod)
        && !pod.path("metadata").has("deletionTimestamp")
        && Kube.condition(pod, "PodScheduled").path("status").asText().equals("False");
  }

  /** All are on the leader's node; who follows was told why it went, and is new. */
  private void assertFollowed(Map<String, JsonNode> before, Map<String, JsonNode> after)
      throws Exception {
    assertThat(nodes(after)).containsExactly(node(leader(after)));
    var old = before.values().stream().collect(toMap(ExclusivePlacementIT::uid, pod -> pod));
    for (JsonNode pod : after.values()) {
      assertThat(isLeader(pod) || !old.containsKey(uid(pod))).as("%s is new", pod).isTrue();
    }
    kube.await(
        "/api/v1/namespaces/default/events",
        "",
        (Map<String, JsonNode> events) ->
            events.values().stream()
                    .filter(event ->
                        event.path("reason").asText().equals("ExclusivePlacementViolation")
                            && event
                                .path("message")
                                .asText()
                                .equals("Pod violated JobSet exclusive placement policy"))
                    .count()
                == 2,
        LIMIT);
  }

  private void finish(Workers group) throws Exception {
    group.exitAll(1, 0);
    group.awaitCondition(kube, "Completed");
    assertThat(group.wrongs()).isEmpty();
  }

  private static JsonNode leader(Map<String, JsonNode> pods) {
    return pods.values().stream().filter(ExclusivePlacementIT::isLeader).findFirst().orElseThrow();
  }

  private static boolean isLeader(JsonNode pod) {
    return pod.at("/metadata/annotations/batch.kubernetes.io~1job-completion-index")
        .asText()
        .equals("0");
  }

  private static String node(JsonNode pod) {
    return pod.at("/spec/nodeName").asText();
  }

  private static String uid(JsonNode pod) {
    return pod.at("/metadata/uid").asText();
  }

  private static Set<String> nodes(Map<String, JsonNode> pods) {
    var nodes = new HashSet<String>();
    pods.values().forEach(pod -> nodes.add(node(pod)));
    return nodes;
  }
}
