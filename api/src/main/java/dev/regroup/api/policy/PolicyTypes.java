package dev.regroup.api.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.api.cel.CelCompiled;
import dev.regroup.api.cel.CelShape;
import dev.regroup.api.cel.CelShape.Plain;
import dev.regroup.api.cel.SchemaShapes;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.schema.Schema;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What the compiler says to a policy when it knows the kinds the policy is about: advice for its
 * author, no reason to refuse it. Kinds of wildcards are not guessed.
 */
public final class PolicyTypes {
  private static final int MOST_KINDS = 10;

  private final Gates gates;

  public PolicyTypes(Gates gates) {
    this.gates = gates;
  }

  /** The {@code typeChecking} of the policy's status. */
  public ObjectNode check(ObjectNode policy) {
    var spec = policy.path("spec");
    var schema = Schema.of(gates, gates.decoding());
    var shapes = new SchemaShapes(schema);
    var kinds = kinds(spec, schema);
    var params = CompiledPolicy.paramKind(spec).flatMap(shapes::kind).orElse((CelShape) Plain.DYN);
    var warnings = new LinkedHashMap<String, String>();
    for (var kind : kinds) {
      var shape = shapes.kind(kind).orElseThrow();
      var expressions =
          PolicyExpressions.typed(
              CompiledPolicy.extras(CompiledPolicy.paramKind(spec).isPresent()), shape, params);
      var sentence = (kind.group().isEmpty() ? "/" : kind.group() + "/") + kind.version();
      check(spec, expressions, sentence + ", Kind=" + kind.kind() + ": ", warnings);
    }
    var result = Wire.object();
    if (!warnings.isEmpty()) {
      var list = result.putArray("expressionWarnings");
      warnings.forEach(
          (field, text) -> list.addObject().put("fieldRef", field).put("warning", text));
    }
    return result;
  }

  private static void check(
      JsonNode spec, PolicyExpressions expressions, String prefix, Map<String, String> warnings) {
    for (ObjectNode variable : Trees.objects(spec, "variables")) {
      var _ =
          expressions.variable(Trees.text(variable, "name"), Trees.text(variable, "expression"));
    }
    var validations = Trees.objects(spec, "validations");
    for (int i = 0; i < validations.size(); i++) {
      var at = "spec.validations[" + i + "].";
      var text = Trees.text(validations.get(i), "expression");
      note(at + "expression", expressions.validation(text), prefix, warnings);
      var message = Trees.text(validations.get(i), "messageExpression");
      if (!message.isBlank()) {
        note(at + "messageExpression", expressions.message(message), prefix, warnings);
      }
    }
  }

  private static void note(
      String field, CelCompiled compiled, String prefix, Map<String, String> warnings) {
    if (compiled instanceof CelCompiled.Bad(String problem)) {
      var text = prefix + problem.replaceFirst("^compilation failed: ", "") + "\n";
      warnings.merge(field, text, String::concat);
    }
  }

  /** The built-in kinds that rules name outright. */
  private static List<GroupVersionKind> kinds(JsonNode spec, Schema schema) {
    var kinds = new ArrayList<GroupVersionKind>();
    for (var rule : MatchRule.listOf(spec.path("matchConstraints").path("resourceRules"))) {
      for (String name : schema.names()) {
        for (var kind : schema.definition(name).kinds()) {
          boolean named =
              rule.groups().contains(kind.group())
                  && rule.versions().contains(kind.version())
                  && rule.resources().contains(plural(kind.kind()));
          if (named && !kinds.contains(kind) && kinds.size() < MOST_KINDS) {
            kinds.add(kind);
          }
        }
      }
    }
    return kinds;
  }

  /** As the names of built-in kinds are made. */
  private static String plural(String kind) {
    var lower = kind.toLowerCase(Locale.ROOT);
    if (lower.endsWith("s")) {
      return lower.equals("endpoints") ? lower : lower + "es";
    }
    return lower.endsWith("y") ? lower.substring(0, lower.length() - 1) + "ies" : lower + "s";
  }
}
