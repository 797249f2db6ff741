package dev.regroup.control.scheduler;

import dev.regroup.rules.node.Taint;
import dev.regroup.rules.node.Toleration;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which node a pod goes to, or why none will do. */
sealed interface NodeChoice {

  record OnNode(String node) implements NodeChoice {}

  /** The text of the pod's condition and of the event, in Kubernetes' words. */
  record Nowhere(String message) implements NodeChoice {}

  /**
   * What a node offers.
   *
   * @param allocatable what it has for pods; empty when it has never said, then nothing is weighed
   * @param taken what the pods on it have asked for
   * @param pods how many there are on it
   */
  record Offer(
      String node,
      Map<String, String> labels,
      List<Taint> taints,
      boolean cordoned,
      Set<String> features,
      Amounts allocatable,
      Amounts taken,
      int pods) {

    Offer with(Amounts newTaken, int newPods) {
      return new Offer(node, labels, taints, cordoned, features, allocatable, newTaken, newPods);
    }
  }

  /** What a pod may do to others that are in its way. */
  enum Preemption {
    ALLOWED,
    NEVER
  }

  /**
   * What a pod asks for.
   *
   * @param terms of the required node affinity, any of which suffices; empty when there is none
   * @param features the node must have declared (GATE-15)
   * @param claims volumes it uses, with their namespace
   * @param exclusiveClaims those of them that no other pod may use at the same time
   * @param conflict whether another pod uses one of these now
   */
  record Ask(
      Map<String, String> nodeSelector,
      List<NodeSelectorTerm> terms,
      List<Toleration> tolerations,
      Set<String> features,
      Amounts amounts,
      Preemption preemption,
      Set<String> claims,
      Set<String> exclusiveClaims,
      boolean conflict) {

    Ask conflicting() {
      return new Ask(
          nodeSelector,
          terms,
          tolerations,
          features,
          amounts,
          preemption,
          claims,
          exclusiveClaims,
          true);
    }

    Ask withAmounts(Amounts others) {
      return new Ask(
          nodeSelector,
          terms,
          tolerations,
          features,
          others,
          preemption,
          claims,
          exclusiveClaims,
          conflict);
    }

    Ask withExclusiveClaims(Set<String> exclusive) {
      return new Ask(
          nodeSelector,
          terms,
          tolerations,
          features,
          amounts,
          preemption,
          claims,
          exclusive,
          conflict);
    }
  }

  /**
   * Why a node will not do.
   *
   * @param resolvable whether the end of other pods could change it
   */
  record Refusal(List<String> reasons, boolean resolvable) {

    private static Refusal lasting(String reason) {
      return new Refusal(List.of(reason), false);
    }
  }

  /** The fitting node with the fewest pods, by name where equal. */
  static NodeChoice choose(Ask ask, Collection<Offer> offers) {
    var refusals = new ArrayList<Refusal>();
    Offer best = null;
    for (Offer offer : offers) {
      var refusal = refusal(ask, offer);
      if (refusal.isPresent()) {
        refusals.add(refusal.get());
      } else if (best == null
          || offer.pods() < best.pods()
          || (offer.pods() == best.pods() && offer.node().compareTo(best.node()) < 0)) {
        best = offer;
      }
    }
    if (best != null) {
      return new OnNode(best.node());
    }
    return offers.isEmpty() ? NO_NODES : new Nowhere(Refusals.text(ask.preemption(), refusals));
  }

  /** What {@code kubectl cordon} means. */
  Taint UNSCHEDULABLE = new Taint("node.kubernetes.io/unschedulable", "", Taint.NO_SCHEDULE);

  Nowhere NO_NODES = new Nowhere("no nodes available to schedule pods");

  /** No node is even looked at, for this reason. */
  static NodeChoice refused(Ask ask, String reason, int nodes) {
    return nodes == 0 ? NO_NODES : new Nowhere(Refusals.text(ask.preemption(), reason, nodes));
  }

  private static Optional<Refusal> refusal(Ask ask, Offer offer) {
    if (offer.cordoned() && !Toleration.any(ask.tolerations(), UNSCHEDULABLE)) {
      return Optional.of(Refusal.lasting("node(s) were unschedulable"));
    }
    for (Taint taint : offer.taints()) {
      if (taint.repels() && !Toleration.any(ask.tolerations(), taint)) {
        return Optional.of(Refusal.lasting("node(s) had untolerated taint(s)"));
      }
    }
    boolean selected =
        ask.nodeSelector().entrySet().stream()
            .allMatch(entry -> entry.getValue().equals(offer.labels().get(entry.getKey())));
    boolean wanted =
        ask.terms().isEmpty() || ask.terms().stream().anyMatch(term -> matches(term, offer));
    if (!selected || !wanted) {
      return Optional.of(Refusal.lasting("node(s) didn't match Pod's node affinity/selector"));
    }
    var full = full(ask, offer);
    if (full.isPresent()) {
      return full;
    }
    if (ask.conflict()) {
      return Optional.of(
          new Refusal(
              List.of(
                  "node has pod using PersistentVolumeClaim with the same name and"
                      + " ReadWriteOncePod access mode"),
              true));
    }
    return offer.features().containsAll(ask.features())
        ? Optional.empty()
        : Optional.of(Refusal.lasting("node(s) didn't match the pod's required features"));
  }

  /** Kubernetes' NodeResourcesFit: every resource that lacks is named. */
  private static Optional<Refusal> full(Ask ask, Offer offer) {
    if (offer.allocatable().equals(Amounts.NONE)) {
      return Optional.empty();
    }
    var reasons = new ArrayList<String>();
    boolean resolvable = true;
    if (offer.pods() + 1 > offer.allocatable().of("pods")) {
      reasons.add("Too many pods");
    }
    for (var wanted : ask.amounts().byName().entrySet()) {
      String name = wanted.getKey();
      long all = offer.allocatable().of(name);
      if (wanted.getValue() > all - offer.taken().of(name)) {
        reasons.add("Insufficient " + name);
        resolvable &= wanted.getValue() <= all;
      }
    }
    return reasons.isEmpty() ? Optional.empty() : Optional.of(new Refusal(reasons, resolvable));
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
    return requirement.getValues().stream().findFirst().flatMap(NodeChoice::number).orElse(0L);
  }

  private static Optional<Long> number(@Nullable String value) {
    try {
      return value == null ? Optional.empty() : Optional.of(Long.parseLong(value));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }
}
