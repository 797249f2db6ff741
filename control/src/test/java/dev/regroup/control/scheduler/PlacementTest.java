package dev.regroup.control.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.Toleration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PlacementTest {

  private static final Placement.Ask ANY =
      new Placement.Ask(Map.of(), List.of(), List.of(), Set.of());

  @Test
  void takes_the_node_with_the_fewest_pods() {
    assertThat(Placement.choose(ANY, List.of(offer("a", 3), offer("b", 1), offer("c", 1))))
        .isEqualTo(new Placement.OnNode("b"));
  }

  @Test
  void says_in_the_words_of_kubernetes_why_no_node_will_do() {
    var ask = new Placement.Ask(Map.of("zone", "x"), List.of(), List.of(), Set.of());

    assertThat(Placement.choose(ask, List.of(offer("a", 0))))
        .isEqualTo(
            new Placement.Nowhere(
                "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."));
    assertThat(Placement.choose(ask, List.of()))
        .isEqualTo(new Placement.Nowhere("no nodes available to schedule pods"));
  }

  @Test
  void a_taint_needs_a_toleration() {
    var tainted =
        new Placement.Offer(
            "a",
            Map.of(),
            List.of(new Taint("NoSchedule", "gpu", null, "yes")),
            false,
            Set.of(),
            0);
    var tolerating =
        new Placement.Ask(
            Map.of(),
            List.of(),
            List.of(new Toleration("NoSchedule", "gpu", "Exists", null, null)),
            Set.of());

    assertThat(Placement.choose(ANY, List.of(tainted))).isInstanceOf(Placement.Nowhere.class);
    assertThat(Placement.choose(tolerating, List.of(tainted))).isEqualTo(new Placement.OnNode("a"));
  }

  @Test
  void a_cordoned_node_takes_no_pods() {
    var cordoned = new Placement.Offer("a", Map.of(), List.of(), true, Set.of(), 0);

    assertThat(Placement.choose(ANY, List.of(cordoned)))
        .isEqualTo(new Placement.Nowhere("0/1 nodes are available: 1 node(s) were unschedulable."));
  }

  @Test
  void any_term_of_a_required_affinity_suffices_and_all_its_expressions_must_hold() {
    var labelled =
        new Placement.Offer("a", Map.of("zone", "x", "gen", "4"), List.of(), false, Set.of(), 0);
    var right =
        new NodeSelectorTerm(
            List.of(
                new NodeSelectorRequirement("zone", "In", List.of("x", "y")),
                new NodeSelectorRequirement("gen", "Gt", List.of("3"))),
            List.of());
    var wrong =
        new NodeSelectorTerm(
            List.of(new NodeSelectorRequirement("zone", "NotIn", List.of("x"))), List.of());

    assertThat(Placement.choose(affinity(wrong, right), List.of(labelled)))
        .isEqualTo(new Placement.OnNode("a"));
    assertThat(Placement.choose(affinity(wrong), List.of(labelled)))
        .isInstanceOf(Placement.Nowhere.class);
  }

  @Test
  void a_node_that_lacks_a_declared_feature_is_left_out_by_rule_GATE_15() {
    var ask =
        new Placement.Ask(
            Map.of(), List.of(), List.of(), Set.of("RestartAllContainersOnContainerExits"));

    assertThat(Placement.choose(ask, List.of(offer("a", 0)))).isInstanceOf(Placement.Nowhere.class);
  }

  private static Placement.Ask affinity(NodeSelectorTerm... terms) {
    return new Placement.Ask(Map.of(), List.of(terms), List.of(), Set.of());
  }

  private static Placement.Offer offer(String name, int pods) {
    return new Placement.Offer(name, Map.of(), List.of(), false, Set.of(), pods);
  }
}
