package dev.regroup.control.scheduler;

import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.Toleration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Which node a pod goes to, or why none will do. */
public sealed interface Placement {

  record OnNode(String node) implements Placement {}

  /** The text of the pod's condition and of the event, in Kubernetes' words. */
  record Nowhere(String message) implements Placement {}

  /** What a node offers. */
  record Offer(
      String node,
      Map<String, String> labels,
      List<Taint> taints,
      boolean cordoned,
      Set<String> features,
      int pods) {

    Offer withPods(int newPods) {
      return new Offer(node, labels, taints, cordoned, features, newPods);
    }
  }

  /**
   * What a pod asks for.
   *
   * @param terms of the required node affinity, any of which suffices; empty when there is none
   * @param features the node must have declared (GATE-15)
   */
  record Ask(
      Map<String, String> nodeSelector,
      List<NodeSelectorTerm> terms,
      List<Toleration> tolerations,
      Set<String> features) {}

  /** The fitting node with the fewest pods, by name where equal. */
  static Placement choose(Ask ask, Collection<Offer> offers) {
    var refusals = new TreeMap<String, Integer>();
    Offer best = null;
    for (Offer offer : offers) {
      var refusal = refusal(ask, offer);
      if (refusal.isPresent()) {
        refusals.merge(refusal.get(), 1, Integer::sum);
      } else if (best == null
          || offer.pods() < best.pods()
          || (offer.pods() == best.pods() && offer.node().compareTo(best.node()) < 0)) {
        best = offer;
      }
    }
    if (best != null) {
      return new OnNode(best.node());
    }
    String why =
        offers.isEmpty()
            ? "no nodes available to schedule pods"
            : "0/%d nodes are available: %s."
                .formatted(
                    offers.size(),
                    refusals.entrySet().stream()
                        .map(entry -> entry.getValue() + " " + entry.getKey())
                        .collect(Collectors.joining(", ")));
    return new Nowhere(why);
  }

  private static Optional<String> refusal(Ask ask, Offer offer) {
    if (offer.cordoned() && !tolerated(unschedulable(), ask.tolerations())) {
      return Optional.of("node(s) were unschedulable");
    }
    for (Taint taint : offer.taints()) {
      if (!"PreferNoSchedule".equals(taint.getEffect()) && !tolerated(taint, ask.tolerations())) {
        return Optional.of(
            "node(s) had untolerated taint {%s: %s}"
                .formatted(taint.getKey(), taint.getValue() == null ? "" : taint.getValue()));
      }
    }
    boolean selected =
        ask.nodeSelector().entrySet().stream()
            .allMatch(entry -> entry.getValue().equals(offer.labels().get(entry.getKey())));
    boolean wanted =
        ask.terms().isEmpty() || ask.terms().stream().anyMatch(term -> matches(term, offer));
    if (!selected || !wanted) {
      return Optional.of("node(s) didn't match Pod's node affinity/selector");
    }
    if (!offer.features().containsAll(ask.features())) {
      return Optional.of("node(s) didn't match the pod's required features");
    }
    return Optional.empty();
  }

  private static Taint unschedulable() {
    return new Taint("NoSchedule", "node.kubernetes.io/unschedulable", null, null);
  }

  private static boolean tolerated(Taint taint, List<Toleration> tolerations) {
    return tolerations.stream().anyMatch(toleration -> tolerates(toleration, taint));
  }

  private static boolean tolerates(Toleration toleration, Taint taint) {
    if (given(toleration.getEffect()) && !toleration.getEffect().equals(taint.getEffect())) {
      return false;
    }
    if (given(toleration.getKey()) && !toleration.getKey().equals(taint.getKey())) {
      return false;
    }
    return "Exists".equals(toleration.getOperator())
        || text(toleration.getValue()).equals(text(taint.getValue()));
  }

  /** All expressions of a term must hold; a term without any matches nothing. */
  private static boolean matches(NodeSelectorTerm term, Offer offer) {
    var expressions = term.getMatchExpressions();
    var fields = term.getMatchFields();
    if (expressions.isEmpty() && fields.isEmpty()) {
      return false;
    }
    return expressions.stream().allMatch(e -> holds(e, offer.labels().get(e.getKey())))
        && fields.stream()
            .allMatch(e -> holds(e, e.getKey().equals("metadata.name") ? offer.node() : null));
  }

  private static boolean holds(NodeSelectorRequirement requirement, @Nullable String value) {
    return switch (requirement.getOperator()) {
      case "In" -> value != null && requirement.getValues().contains(value);
      case "NotIn" -> value == null || !requirement.getValues().contains(value);
      case "Exists" -> value != null;
      case "DoesNotExist" -> value == null;
      case "Gt" -> number(value).isPresent() && number(value).get() > bound(requirement);
      case "Lt" -> number(value).isPresent() && number(value).get() < bound(requirement);
      default -> false;
    };
  }

  private static long bound(NodeSelectorRequirement requirement) {
    return requirement.getValues().stream().findFirst().flatMap(Placement::number).orElse(0L);
  }

  private static Optional<Long> number(@Nullable String value) {
    try {
      return value == null ? Optional.empty() : Optional.of(Long.parseLong(value));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  private static boolean given(@Nullable String value) {
    return value != null && !value.isEmpty();
  }

  private static String text(@Nullable String value) {
    return value == null ? "" : value;
  }
}
