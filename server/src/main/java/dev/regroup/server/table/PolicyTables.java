package dev.regroup.server.table;

import static dev.regroup.server.table.Cells.age;
import static dev.regroup.server.table.Cells.name;
import static dev.regroup.server.table.Cells.row;
import static dev.regroup.server.table.Cells.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Tables of what limits writes: webhooks, policies, quotas. */
final class PolicyTables {
  private static final String UNSET = "<unset>";

  static final TableView WEBHOOKS =
      view(
          List.of(Column.NAME, new Column("Webhooks", "integer", "", 0), Column.AGE),
          (object, now) -> row(name(object), object.path("webhooks").size(), age(object, now)));

  static final TableView POLICIES =
      view(
          List.of(
              Column.NAME,
              new Column("Validations", "integer", "", 0),
              Column.text("ParamKind"),
              Column.AGE),
          (policy, now) ->
              row(
                  name(policy),
                  policy.path("spec").path("validations").size(),
                  paramKind(policy.path("spec").path("paramKind")),
                  age(policy, now)));

  static final TableView POLICY_BINDINGS =
      view(
          List.of(Column.NAME, Column.text("PolicyName"), Column.text("ParamRef"), Column.AGE),
          (binding, now) ->
              row(
                  name(binding),
                  binding.path("spec").path("policyName").asText(""),
                  paramRef(binding.path("spec").path("paramRef")),
                  age(binding, now)));

  static final TableView QUOTAS =
      view(
          List.of(Column.NAME, Column.text("Request"), Column.text("Limit"), Column.AGE),
          (quota, now) ->
              row(name(quota), amounts(quota, false), amounts(quota, true), age(quota, now)));

  private PolicyTables() {}

  private static String paramKind(JsonNode kind) {
    return kind.isObject()
        ? kind.path("apiVersion").asText("") + "/" + kind.path("kind").asText("")
        : UNSET;
  }

  private static String paramRef(JsonNode reference) {
    if (!reference.isObject()) {
      return UNSET;
    }
    var name = reference.path("name").asText("");
    var namespace = reference.path("namespace").asText("");
    if (!name.isEmpty()) {
      return (namespace.isEmpty() ? "*" : namespace) + "/" + name;
    }
    return reference.path("selector").isObject() ? selector(reference.path("selector")) : UNSET;
  }

  /** A label selector as the Go library prints it. */
  private static String selector(JsonNode selector) {
    var labels = new StringBuilder();
    new TreeMap<>(Trees.map(selector, "matchLabels"))
        .forEach((key, value) -> labels.append(key).append(": ").append(value).append(','));
    var terms = new StringBuilder();
    for (var term : Trees.objects(selector, "matchExpressions")) {
      terms.append(
          "LabelSelectorRequirement{Key:%s,Operator:%s,Values:[%s],},"
              .formatted(
                  Trees.text(term, "key"),
                  Trees.text(term, "operator"),
                  String.join(" ", Trees.texts(term, "values"))));
    }
    return "&LabelSelector{MatchLabels:map[string]string{%s},MatchExpressions:[]LabelSelectorRequirement{%s},}"
        .formatted(labels, terms);
  }

  private static String amounts(ObjectNode quota, boolean limits) {
    var hard = new TreeMap<String, String>();
    quota
        .path("spec")
        .path("hard")
        .properties()
        .forEach(entry -> hard.put(entry.getKey(), entry.getValue().asText()));
    var used = quota.path("status").path("used");
    return hard.entrySet().stream()
        .filter(entry -> entry.getKey().startsWith("limits") == limits)
        .map(entry ->
            entry.getKey() + ": " + used.path(entry.getKey()).asText("0") + "/" + entry.getValue())
        .collect(Collectors.joining(", "));
  }
}
