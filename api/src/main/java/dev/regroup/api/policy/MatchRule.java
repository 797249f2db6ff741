package dev.regroup.api.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.tree.Trees;
import java.util.List;

/** One rule of a policy or a webhook: operations on resources. */
record MatchRule(
    List<String> operations,
    List<String> groups,
    List<String> versions,
    List<String> resources,
    List<String> names,
    String scope) {

  private static final String ANY = "*";

  static List<MatchRule> listOf(JsonNode rules) {
    return Trees.objects(rules).stream().map(MatchRule::of).toList();
  }

  private static MatchRule of(JsonNode rule) {
    return new MatchRule(
        Trees.texts(rule, "operations"),
        Trees.texts(rule, "apiGroups"),
        Trees.texts(rule, "apiVersions"),
        Trees.texts(rule, "resources"),
        Trees.texts(rule, "resourceNames"),
        Trees.text(rule, "scope"));
  }

  boolean matches(MatchTarget target) {
    return isOrAny(operations, target.operation())
        && isOrAny(groups, target.group())
        && isOrAny(versions, target.version())
        && resources.stream().anyMatch(resource -> resource(resource, target))
        && (names.isEmpty() || names.contains(target.name()))
        && scope(target);
  }

  private boolean scope(MatchTarget target) {
    return switch (scope) {
      // a namespace counts as an object of the cluster
      case "Namespaced" -> !target.namespace().isEmpty() && !target.isNamespace();
      case "Cluster" -> target.namespace().isEmpty() || target.isNamespace();
      default -> true;
    };
  }

  private static boolean isOrAny(List<String> wanted, String value) {
    return wanted.contains(ANY) || wanted.contains(value);
  }

  private static boolean resource(String wanted, MatchTarget target) {
    int slash = wanted.indexOf('/');
    String resource = slash < 0 ? wanted : wanted.substring(0, slash);
    String part = slash < 0 ? "" : wanted.substring(slash + 1);
    return (resource.equals(ANY) || resource.equals(target.resource()))
        && (part.equals(ANY) || part.equals(target.subresource()));
  }
}
