package dev.regroup.control.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import dev.regroup.rules.node.Taint;
import dev.regroup.rules.node.Toleration;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeChoiceTest {

  private static final NodeChoice.Ask ANY = ask(Map.of(), List.of(), List.of(), Set.of());
  private static final String NOT_HELPFUL =
      " no new claims to deallocate, preemption: 0/1 nodes are available:"
          + " 1 Preemption is not helpful for scheduling.";

  @Test
  void takes_the_node_with_the_fewest_pods() {
    assertThat(NodeChoice.choose(ANY, List.of(offer("a", 3), offer("b", 1), offer("c", 1))))
        .isEqualTo(new NodeChoice.OnNode("b"));
  }

  @Test
  void says_in_the_words_of_kubernetes_why_no_node_will_do() {
    var ask = ask(Map.of("zone", "x"), List.of(), List.of(), Set.of());

    assertThat(NodeChoice.choose(ask, List.of(offer("a", 0))))
        .isEqualTo(
            new NodeChoice.Nowhere(
                "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."
                    + NOT_HELPFUL));
    assertThat(NodeChoice.choose(ask, List.of()))
        .isEqualTo(new NodeChoice.Nowhere("no nodes available to schedule pods"));
  }

  @Test
  void a_taint_needs_a_toleration() {
    var tainted =
        new NodeChoice.Offer(
            "a",
            Map.of(),
            List.of(new Taint("gpu", "yes", Taint.NO_SCHEDULE)),
            false,
            Set.of(),
            Amounts.NONE,
            Amounts.NONE,
            0);
    var tolerating =
        ask(
            Map.of(),
            List.of(),
            List.of(
                new Toleration(
                    "gpu", Toleration.Operator.EXISTS, "", Taint.NO_SCHEDULE, Optional.empty())),
            Set.of());

    assertThat(NodeChoice.choose(ANY, List.of(tainted))).isInstanceOf(NodeChoice.Nowhere.class);
    assertThat(NodeChoice.choose(tolerating, List.of(tainted)))
        .isEqualTo(new NodeChoice.OnNode("a"));
  }

  @Test
  void a_cordoned_node_takes_no_pods() {
    var cordoned = offer("a", Map.of(), true, Amounts.NONE, Amounts.NONE, 0);

    assertThat(NodeChoice.choose(ANY, List.of(cordoned)))
        .isEqualTo(
            new NodeChoice.Nowhere(
                "0/1 nodes are available: 1 node(s) were unschedulable." + NOT_HELPFUL));
  }

  @Test
  void any_term_of_a_required_affinity_suffices_and_all_its_expressions_must_hold() {
    var labelled =
        offer("a", Map.of("zone", "x", "gen", "4"), false, Amounts.NONE, Amounts.NONE, 0);
    var right =
        new NodeSelectorTerm(
            List.of(
                new NodeSelectorRequirement("zone", "In", List.of("x", "y")),
                new NodeSelectorRequirement("gen", "Gt", List.of("3"))),
            List.of());
    var wrong =
        new NodeSelectorTerm(
            List.of(new NodeSelectorRequirement("zone", "NotIn", List.of("x"))), List.of());

    assertThat(NodeChoice.choose(affinity(wrong, right), List.of(labelled)))
        .isEqualTo(new NodeChoice.OnNode("a"));
    assertThat(NodeChoice.choose(affinity(wrong), List.of(labelled)))
        .isInstanceOf(NodeChoice.Nowhere.class);
  }

  @Test
  void a_node_that_lacks_a_declared_feature_is_left_out_by_rule_GATE_15() {
    var ask = ask(Map.of(), List.of(), List.of(), Set.of("RestartAllContainersOnContainerExits"));

    assertThat(NodeChoice.choose(ask, List.of(offer("a", 0))))
        .isInstanceOf(NodeChoice.Nowhere.class);
  }

  private static NodeChoice.Ask affinity(NodeSelectorTerm... terms) {
    return ask(Map.of(), List.of(terms), List.of(), Set.of());
  }

  /** NodeResourcesFit of kube-scheduler. */
  @ParameterizedTest(name = "{0} of {1} with {2} taken")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          cpu=2             | cpu=2,pods=9       |                  | fits
          cpu=64            | cpu=2,pods=9       |                  | 1 Insufficient cpu. / 1 Preemption is not helpful for scheduling.
          cpu=1             | cpu=2,pods=9       | cpu=1500m        | 1 Insufficient cpu. / 1 No preemption victims found for incoming pod.
          cpu=500m          | cpu=2,pods=9       | cpu=1500m        | fits
          memory=2Gi        | memory=1Gi,pods=9  |                  | 1 Insufficient memory. / 1 Preemption is not helpful for scheduling.
          cpu=3,memory=2Gi  | cpu=2,memory=1Gi,pods=9 |             | 1 Insufficient cpu, 1 Insufficient memory. / 1 Preemption is not helpful for scheduling.
          nvidia.com/gpu=1  | cpu=2,pods=9       |                  | 1 Insufficient nvidia.com/gpu. / 1 Preemption is not helpful for scheduling.
          google.com/tpu=4  | google.com/tpu=4,pods=9 | google.com/tpu=1 | 1 Insufficient google.com/tpu. / 1 No preemption victims found for incoming pod.
          cpu=1             | cpu=2,pods=1       |                  | 1 Too many pods. / 1 No preemption victims found for incoming pod.
          cpu=1             |                    | cpu=99           | fits
          """)
  void a_node_takes_what_fits_beside_the_others(
      String wanted, String allocatable, String taken, String outcome) {
    var ask = ANY.withAmounts(amounts(wanted));
    var offer = offer("a", Map.of(), false, amounts(allocatable), amounts(taken), 1);

    NodeChoice expected =
        outcome.equals("fits")
            ? new NodeChoice.OnNode("a")
            : new NodeChoice.Nowhere(
                "0/1 nodes are available: "
                    + outcome.replace(
                        " / ",
                        " no new claims to deallocate, preemption: 0/1 nodes are available: "));
    assertThat(NodeChoice.choose(ask, List.of(offer))).isEqualTo(expected);
  }

  @Test
  void a_pod_that_evicts_nobody_says_so() {
    var ask =
        new NodeChoice.Ask(
            Map.of(),
            List.of(),
            List.of(),
            Set.of(),
            amounts("cpu=1"),
            NodeChoice.Preemption.NEVER,
            Set.of(),
            Set.of(),
            false);
    var full = offer("a", Map.of(), false, amounts("cpu=1,pods=9"), amounts("cpu=1"), 1);

    assertThat(NodeChoice.choose(ask, List.of(full)))
        .isEqualTo(
            new NodeChoice.Nowhere(
                "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate,"
                    + " preemption: not eligible due to preemptionPolicy=Never."));
  }

  @Test
  void a_claim_for_one_pod_is_given_to_one_pod() {
    var room = new NodeRoom();
    var ask =
        new NodeChoice.Ask(
            Map.of(),
            List.of(),
            List.of(),
            Set.of(),
            Amounts.NONE,
            NodeChoice.Preemption.ALLOWED,
            Set.of("ns/data"),
            Set.of("ns/data"),
            false);

    assertThat(room.place("one", ask, List.of(offer("a", 0))))
        .isEqualTo(new NodeChoice.OnNode("a"));
    assertThat(room.place("two", ask, List.of(offer("a", 0))))
        .isEqualTo(
            new NodeChoice.Nowhere(
                "0/1 nodes are available: 1 node has pod using PersistentVolumeClaim with the same"
                    + " name and ReadWriteOncePod access mode. no new claims to deallocate,"
                    + " preemption: 0/1 nodes are available: 1 No preemption victims found for"
                    + " incoming pod."));
    room.release("one");
    assertThat(room.place("two", ask, List.of(offer("a", 0))))
        .isEqualTo(new NodeChoice.OnNode("a"));
  }

  private static Amounts amounts(String text) {
    var quantities = Wire.object();
    if (text != null) {
      for (String entry : text.split(",", -1)) {
        String[] parts = entry.split("=", -1);
        quantities.put(parts[0], parts[1]);
      }
    }
    return Amounts.of(quantities);
  }

  private static NodeChoice.Ask ask(
      Map<String, String> selector,
      List<NodeSelectorTerm> terms,
      List<Toleration> tolerations,
      Set<String> features) {
    return new NodeChoice.Ask(
        selector,
        terms,
        tolerations,
        features,
        Amounts.NONE,
        NodeChoice.Preemption.ALLOWED,
        Set.of(),
        Set.of(),
        false);
  }

  private static NodeChoice.Offer offer(
      String name,
      Map<String, String> labels,
      boolean cordoned,
      Amounts allocatable,
      Amounts taken,
      int pods) {
    return new NodeChoice.Offer(
        name, labels, List.of(), cordoned, Set.of(), allocatable, taken, pods);
  }

  private static NodeChoice.Offer offer(String name, int pods) {
    return offer(name, Map.of(), false, Amounts.NONE, Amounts.NONE, pods);
  }
}
