package dev.regroup.api.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.regroup.api.admission.field.Selectors;
import dev.regroup.api.tree.Trees;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which requests a policy, a binding or a webhook is about: rules, and labels of the namespace and
 * of the object.
 */
public record MatchCriteria(
    List<MatchRule> rules,
    List<MatchRule> exceptions,
    JsonNode namespaceSelector,
    JsonNode objectSelector,
    boolean equivalent) {

  /** Of {@code matchConstraints} or {@code matchResources}. */
  public static MatchCriteria ofPolicy(JsonNode resources) {
    return of(resources, "resourceRules");
  }

  /** Of a webhook, which has the same fields beside its own. */
  public static MatchCriteria ofWebhook(JsonNode webhook) {
    return of(webhook, "rules");
  }

  private static MatchCriteria of(JsonNode node, String rules) {
    return new MatchCriteria(
        MatchRule.listOf(node.path(rules)),
        MatchRule.listOf(node.path("excludeResourceRules")),
        node.path("namespaceSelector"),
        node.path("objectSelector"),
        !Trees.text(node, "matchPolicy").equals("Exact"));
  }

  /** Whether a rule is about it; without rules, those of the policy decide alone. */
  public boolean includes(MatchTarget target) {
    return (rules.isEmpty() || covers(target)) && !excludes(target);
  }

  /** Whether a rule is about it. */
  public boolean covers(MatchTarget target) {
    return rules.stream().anyMatch(rule -> rule.matches(target));
  }

  private boolean excludes(MatchTarget target) {
    return exceptions.stream().anyMatch(rule -> rule.matches(target));
  }

  /**
   * Whether the labels are those it is about.
   *
   * @param namespace the stored namespace of the object, asked for when labels of it count
   * @param object as it would be stored; null when it goes
   * @param old as it is stored; null when it is new
   */
  public boolean selects(
      MatchTarget target,
      Supplier<JsonNode> namespace,
      @Nullable JsonNode object,
      @Nullable JsonNode old) {
    return selectsNamespace(target, namespace, object, old) && selectsObject(object, old);
  }

  private boolean selectsNamespace(
      MatchTarget target,
      Supplier<JsonNode> namespace,
      @Nullable JsonNode object,
      @Nullable JsonNode old) {
    if (isEmpty(namespaceSelector) || target.namespace().isEmpty()) {
      return true; // objects of the cluster have no namespace that could be wrong
    }
    JsonNode labelled = namespace.get();
    if (target.isNamespace() && target.subresource().isEmpty()) {
      labelled = object != null ? object : old != null ? old : MissingNode.getInstance();
    }
    return Selectors.matches(namespaceSelector, labels(labelled));
  }

  private boolean selectsObject(@Nullable JsonNode object, @Nullable JsonNode old) {
    return isEmpty(objectSelector)
        || (object != null && Selectors.matches(objectSelector, labels(object)))
        || (old != null && Selectors.matches(objectSelector, labels(old)));
  }

  private static boolean isEmpty(JsonNode selector) {
    return selector.path("matchLabels").isEmpty() && selector.path("matchExpressions").isEmpty();
  }

  private static Map<String, String> labels(JsonNode object) {
    return Trees.map(object, "metadata", "labels");
  }
}
