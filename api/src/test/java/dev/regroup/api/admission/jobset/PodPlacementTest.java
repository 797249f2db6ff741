package dev.regroup.api.admission.jobset;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodPlacementTest {
  private final List<ObjectNode> pods = new ArrayList<>();
  private final PodPlacement.Neighbours neighbours =
      new PodPlacement.Neighbours() {
        @Override
        public List<ObjectNode> podsNamed(String namespace, String prefix) {
          return pods.stream()
              .filter(pod -> pod.at("/metadata/name").asText().startsWith(prefix))
              .toList();
        }

        @Override
        public Optional<ObjectNode> node(String name) {
          return name.equals("n1")
              ? Optional.of(Wire.tree("{\"metadata\":{\"labels\":{\"rack\":\"r7\"}}}"))
              : Optional.empty();
        }
      };

  @Test
  @DisplayName("JS-36, JS-91: every pod of a JobSet has its priority as a label")
  void a_pod_without_a_topology_gets_only_the_label() {
    var pod = pod(1);
    pod.withObject("/metadata/annotations").remove("alpha.jobset.sigs.k8s.io/exclusive-topology");

    var placed = PodPlacement.of(pod, neighbours);

    assertThat(placed.refusal()).isNull();
    assertThat(label(placed.pod(), "jobset.sigs.k8s.io/priority")).isEqualTo("5");
    assertThat(placed.pod().at("/spec").has("affinity")).isFalse();
    assertThat(label(pod, "jobset.sigs.k8s.io/priority")).isEmpty();
  }

  @Test
  @DisplayName("JS-90: the node-selector strategy needs nothing of the webhook")
  void pods_placed_by_node_selector_are_left_alone() {
    var pod = pod(0);
    pod.withObject("/metadata/annotations").put("alpha.jobset.sigs.k8s.io/node-selector", "true");

    assertThat(PodPlacement.concerns(pod(0))).isTrue();
    assertThat(PodPlacement.concerns(pod)).isFalse();
  }

  @Test
  @DisplayName("JS-91, AS-37: the leader keeps other Jobs out of its topology domain")
  void the_leader_gets_affinity_to_its_own_job_only() {
    var spec = PodPlacement.of(pod(0), neighbours).pod().path("spec").path("affinity");

    var own = "/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/0";
    var others = "/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/0";
    assertThat(spec.at(own + "/topologyKey").asText()).isEqualTo("rack");
    assertThat(spec.at(own + "/labelSelector/matchExpressions/0/values/0").asText())
        .isEqualTo("key0");
    assertThat(spec.at(own + "/namespaceSelector").isObject()).isTrue();
    assertThat(spec.at(others + "/labelSelector/matchExpressions"))
        .extracting(one -> one.path("operator").asText())
        .containsExactly("Exists", "NotIn", "In");
    assertThat(spec.at(others + "/labelSelector/matchExpressions/2/values/0").asText())
        .isEqualTo("5");
  }

  @Test
  @DisplayName("JS-91: followers go where the leader is")
  void a_follower_gets_the_domain_of_the_leader() {
    pods.add(leader("n1", "Running"));

    var placed = PodPlacement.of(pod(1), neighbours);

    assertThat(placed.refusal()).isNull();
    assertThat(placed.pod().at("/spec/nodeSelector/rack").asText()).isEqualTo("r7");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''  | Pending | leader pod not yet scheduled, not creating follower pod.",
        "n1  | Failed  | expected 1 leader pod (a-w-0-0-), but got 0.",
        "n2  | Running | node does not have topology label: rack"
      })
  @DisplayName("JS-91a: followers are refused until the leader has a place")
  void a_follower_is_refused_until_its_leader_is_placed(String node, String phase, String why) {
    pods.add(leader(node, phase));

    var refusal = PodPlacement.of(pod(1), neighbours).refusal();

    assertThat(refusal).isNotNull();
    assertThat(refusal.path("code").asInt()).isEqualTo(403);
    assertThat(refusal.path("reason").asText()).isEqualTo("Forbidden");
    assertThat(refusal.path("message").asText())
        .startsWith("admission webhook \"vpod.kb.io\" denied the request: " + why);
  }

  @Test
  @DisplayName("JS-91: a leader of another Job with the same name is none")
  void the_leader_must_belong_to_the_same_job() {
    var leader = leader("n1", "Running");
    ((ObjectNode) leader.at("/metadata/ownerReferences/0")).put("uid", "another");
    pods.add(leader);

    assertThat(PodPlacement.of(pod(1), neighbours).refusal()).isNotNull();
  }

  private static String label(ObjectNode pod, String key) {
    return pod.path("metadata").path("labels").path(key).asText("");
  }

  private static ObjectNode leader(String node, String phase) {
    var leader = pod(0);
    leader.withObject("/spec").put("nodeName", node);
    leader.putObject("status").put("phase", phase);
    return leader;
  }

  private static ObjectNode pod(int index) {
    return Wire.tree(
        """
        {"metadata":{"name":"a-w-0-%1$d-x","namespace":"ns",
          "labels":{"jobset.sigs.k8s.io/jobset-name":"a","jobset.sigs.k8s.io/job-key":"key0"},
          "annotations":{"jobset.sigs.k8s.io/jobset-name":"a",
            "jobset.sigs.k8s.io/replicatedjob-name":"w","jobset.sigs.k8s.io/job-index":"0",
            "batch.kubernetes.io/job-completion-index":"%1$d",
            "alpha.jobset.sigs.k8s.io/exclusive-topology":"rack"},
          "ownerReferences":[{"kind":"Job","name":"a-w-0","uid":"u1","controller":true}]},
         "spec":{"priority":5}}
        """
            .formatted(index));
  }
}
