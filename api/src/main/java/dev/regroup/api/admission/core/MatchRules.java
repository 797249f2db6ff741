package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.duplicate;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;
import static dev.regroup.api.admission.field.FieldError.tooMany;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.Metadata;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.admission.field.Selectors;
import dev.regroup.api.cel.CelCompiled;
import dev.regroup.api.policy.PolicyExpressions;
import dev.regroup.api.tree.Trees;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What policies, their bindings and webhooks share: which requests they are about. */
final class MatchRules {
  private static final String ANY = "*";
  private static final int MOST_CONDITIONS = 64;
  private static final List<String> OPERATIONS =
      List.of(ANY, "CONNECT", "CREATE", "DELETE", "UPDATE");
  private static final List<String> MATCH_POLICIES = List.of("Equivalent", "Exact");
  private static final List<String> SCOPES = List.of(ANY, "Cluster", "Namespaced");

  static final List<String> FAILURE_POLICIES = List.of("Fail", "Ignore");

  private final List<FieldError> errors;

  MatchRules(List<FieldError> errors) {
    this.errors = errors;
  }

  /** Defaults of {@code matchConstraints}, {@code matchResources} and of a webhook. */
  static void fill(ObjectNode match, String... ruleFields) {
    Trees.child(match, "namespaceSelector");
    Trees.child(match, "objectSelector");
    for (String field : ruleFields) {
      Trees.objects(match, field).forEach(rule -> Trees.fill(rule, "scope", ANY));
    }
    Trees.fill(match, "matchPolicy", "Equivalent");
  }

  /** Of {@code matchConstraints} or {@code matchResources}. */
  void resources(JsonNode match, FieldPath path) {
    matchPolicy(match, path);
    selectors(match, path);
    for (String field : List.of("resourceRules", "excludeResourceRules")) {
      var rules = Trees.objects(match, field);
      for (int i = 0; i < rules.size(); i++) {
        names(rules.get(i), path.field(field).index(i));
        rule(rules.get(i), path.field(field).index(i));
      }
    }
  }

  void matchPolicy(JsonNode match, FieldPath path) {
    oneOf(match, "matchPolicy", MATCH_POLICIES, path);
  }

  /** A text that must be one of these where it is there. */
  void oneOf(JsonNode node, String field, List<String> supported, FieldPath path) {
    Trees.textIfPresent(node, field)
        .filter(value -> !supported.contains(value))
        .ifPresent(value -> errors.add(notSupported(path.field(field), value, supported)));
  }

  void selectors(JsonNode match, FieldPath path) {
    for (String field : List.of("namespaceSelector", "objectSelector")) {
      Selectors.check(match.path(field), path.field(field), errors);
    }
  }

  private void names(JsonNode rule, FieldPath path) {
    var seen = new HashSet<String>();
    var names = Trees.texts(rule, "resourceNames");
    for (int i = 0; i < names.size(); i++) {
      FieldPath at = path.field("resourceNames").index(i);
      String name = names.get(i);
      Metadata.pathSegment(name).forEach(problem -> errors.add(invalid(at, name, problem)));
      if (!seen.add(name)) {
        errors.add(duplicate(at, name));
      }
    }
  }

  void rule(JsonNode rule, FieldPath path) {
    operations(rule, path.field("operations"));
    alone(rule, path.field("apiGroups"), "apiGroups", "API groups");
    alone(rule, path.field("apiVersions"), "apiVersions", "API versions");
    empties(Trees.texts(rule, "apiVersions"), path.field("apiVersions"));
    targets(Trees.texts(rule, "resources"), rule.path("resources"), path.field("resources"));
    oneOf(rule, "scope", SCOPES, path);
  }

  private void operations(JsonNode rule, FieldPath path) {
    alone(rule, path, "operations", "operations");
    var operations = Trees.texts(rule, "operations");
    for (int i = 0; i < operations.size(); i++) {
      if (!OPERATIONS.contains(operations.get(i))) {
        errors.add(notSupported(path.index(i), operations.get(i), OPERATIONS));
      }
    }
  }

  /** A list that has something, and nothing beside a star. */
  private void alone(JsonNode rule, FieldPath path, String field, String words) {
    var values = Trees.texts(rule, field);
    if (values.isEmpty()) {
      errors.add(required(path, ""));
    } else if (values.size() > 1 && values.contains(ANY)) {
      errors.add(
          invalid(path, rule.path(field), "if '*' is present, must not specify other " + words));
    }
  }

  private void empties(List<String> values, FieldPath path) {
    for (int i = 0; i < values.size(); i++) {
      if (values.get(i).isEmpty()) {
        errors.add(required(path.index(i), ""));
      }
    }
  }

  private void targets(List<String> resources, JsonNode value, FieldPath path) {
    if (resources.isEmpty()) {
      errors.add(required(path, ""));
    }
    Set<String> wholes = new HashSet<>();
    Set<String> everywhere = new HashSet<>();
    boolean plain = false;
    for (int i = 0; i < resources.size(); i++) {
      String text = resources.get(i);
      int slash = text.indexOf('/');
      if (text.isEmpty()) {
        errors.add(required(path.index(i), ""));
      }
      if (slash < 0) {
        plain |= !text.equals(ANY);
        continue;
      }
      String resource = text.substring(0, slash);
      String part = text.substring(slash + 1);
      if (wholes.contains(resource)) {
        errors.add(
            invalid(
                path.index(i),
                text,
                "if '" + resource + "/*' is present, must not specify " + text));
      }
      if (everywhere.contains(part)) {
        errors.add(
            invalid(
                path.index(i), text, "if '*/" + part + "' is present, must not specify " + text));
      }
      if (part.equals(ANY)) {
        wholes.add(resource);
      }
      if (resource.equals(ANY)) {
        everywhere.add(part);
      }
    }
    if (resources.size() > 1 && resources.contains("*/*")) {
      errors.add(invalid(path, value, "if '*/*' is present, must not specify other resources"));
    }
    if (plain && resources.contains(ANY)) {
      errors.add(
          invalid(
              path,
              value,
              "if '*' is present, must not specify other resources without subresources"));
    }
  }

  void conditions(JsonNode owner, FieldPath path, PolicyExpressions expressions) {
    var conditions = Trees.objects(owner, "matchConditions");
    if (conditions.size() > MOST_CONDITIONS) {
      errors.add(tooMany(path, conditions.size(), MOST_CONDITIONS));
    }
    var names = new HashSet<String>();
    for (int i = 0; i < conditions.size(); i++) {
      FieldPath at = path.index(i);
      String text = Trees.text(conditions.get(i), "expression");
      if (text.isBlank()) {
        errors.add(required(at.field("expression"), ""));
      } else {
        compiled(at.field("expression"), text, expressions.condition(text));
      }
      String name = Trees.text(conditions.get(i), "name");
      if (name.isEmpty()) {
        errors.add(required(at.field("name"), ""));
        continue;
      }
      NameRules.qualified(name)
          .forEach(problem -> errors.add(invalid(at.field("name"), name, problem)));
      if (!names.add(name)) {
        errors.add(duplicate(at.field("name"), name));
      }
    }
  }

  void compiled(FieldPath path, String text, CelCompiled compiled) {
    if (compiled instanceof CelCompiled.Bad(String problem)) {
      errors.add(invalid(path, text, problem));
    }
  }
}
