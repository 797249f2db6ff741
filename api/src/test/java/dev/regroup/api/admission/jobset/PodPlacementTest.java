package dev.regroup.api.admission.jobset;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.schema.GroupVersionKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodPlacementTest {
  private static final GroupVersionKind POD = new GroupVersionKind("", "v1", "Pod");

  private final List<ObjectNode> pods = new ArrayList<>();
  private final Lookup lookup =
      new Lookup() {
        @Override
        public Optional<ObjectNode> find(
            String apiVersion, String kind, @Nullable String namespace, String name) {
          return kind.equals("Node") && name.equals("n1")
              ? Optional.of(Wire.tree("{\"metadata\":{\"labels\":{\"rack\":\"r7\"}}}"))
              : Optional.empty();
        }

        @Override
        public List<ObjectNode> named(
            String apiVersion, String kind, String namespace, String prefix) {
          return pods.stream()
              .filter(pod -> pod.at("/metadata/name").asText().startsWith(prefix))
              .toList();
        }
      };

  @Test
  @DisplayName("JS-36, JS-91: every pod of a JobSet has its priority as a label")
  void a_pod_without_a_topology_gets_only_the_label() {
    var pod = pod(1);
    pod.withObject("/metadata/annotations").remove("alpha.jobset.sigs.k8s.io/exclusive-topology");

    var placed = place(pod);

    assertThat(refusal(placed)).isEmpty();
    assertThat(label(placed, "jobset.sigs.k8s.io/priority")).isEqualTo("5");
    assertThat(placed.at("/spec").has("affinity")).isFalse();
  }

  @Test
  @DisplayName("JS-90: the node-selector strategy needs nothing of the webhook")
  void pods_placed_by_node_selector_are_left_alone() {
    var pod = pod(0);
    pod.withObject("/metadata/annotations").put("alpha.jobset.sigs.k8s.io/node-selector", "true");

    assertThat(place(pod.deepCopy())).isEqualTo(pod);
    assertThat(place(pod(0))).isNotEqualTo(pod(0));
  }

  @Test
  @DisplayName("JS-91, AS-37: the leader keeps other Jobs out of its topology domain")
  void the_leader_gets_affinity_to_its_own_job_only() {
    var spec = place(pod(0)).path("spec").path("affinity");

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

    var placed = place(pod(1));

    assertThat(refusal(placed)).isEmpty();
    assertThat(placed.at("/spec/nodeSelector/rack").asText()).isEqualTo("r7");
  }

  @Test
  @DisplayName("JS-91, AS-38: the leader that came after a failed one is followed")
  void a_follower_follows_the_leader_that_lives() {
    pods.add(leader("n2", "Failed"));
    pods.add(leader("n1", "Running"));

    var placed = place(pod(1));

    assertThat(refusal(placed)).isEmpty();
    assertThat(placed.at("/spec/nodeSelector/rack").asText()).isEqualTo("r7");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''  | Pending | leader pod not yet scheduled, not creating follower pod.",
        "n1  | Failed  | expected 1 leader pod (a-w-0-0-), but got 0.",
        "n2  | Running | node does not have topology label: rack"
      })
  @DisplayName("JS-91a, AS-38: followers are refused until the leader has a place")
  void a_follower_is_refused_until_its_leader_is_placed(String node, String phase, String why) {
    pods.add(leader(node, phase));

    var refusal = refusal(place(pod(1))).orElseThrow();

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

    assertThat(refusal(place(pod(1)))).isPresent();
  }

  @Test
  @DisplayName("JS-91a: a follower that came before its leader had a node is refused")
  void a_follower_without_a_place_is_refused_also_when_the_leader_has_one_by_now() {
    pods.add(leader("", "Pending"));
    var follower = place(pod(1));

    pods.set(0, leader("n1", "Running"));

    assertThat(refusal(follower)).isPresent();
  }

  @Test
  @DisplayName("JS-91: a change of a pod is not placed again")
  void an_update_is_left_alone() {
    var review = new Review(POD, Operation.UPDATE, pod(0), pod(0));

    assertThat(PodPlacement.place(review, lookup).object()).isEqualTo(pod(0));
  }

  private ObjectNode place(ObjectNode pod) {
    return PodPlacement.place(new Review(POD, Operation.CREATE, pod, null), lookup).object();
  }

  private Optional<ObjectNode> refusal(ObjectNode pod) {
    return PodPlacement.check(new Review(POD, Operation.CREATE, pod, null), lookup).refusal();
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
