package dev.regroup.api.admission.custom;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.structural.CompiledRule;
import dev.regroup.api.structural.SchemaRules;
import dev.regroup.api.structural.Structural;
import dev.regroup.api.structural.ValidationRule;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether the rules of a schema can be compiled, and look back only where old and new can be told
 * apart. What a rule may cost is not estimated: it is stopped when it costs too much.
 */
final class RuleCompilation {
  private final List<FieldError> errors = new ArrayList<>();

  private RuleCompilation() {}

  static List<FieldError> check(Structural schema, FieldPath path) {
    if (!schema.hasRules()) {
      return List.of();
    }
    var compilation = new RuleCompilation();
    compilation.place(SchemaRules.ofObject(schema), path, null);
    return compilation.errors;
  }

  /**
   * @param mixed the outermost place above in which old and new cannot be told apart
   */
  private void place(SchemaRules rules, FieldPath path, @Nullable FieldPath mixed) {
    var here = rules.here();
    for (int i = 0; i < here.size(); i++) {
      rule(here.get(i), path.field("x-kubernetes-validations").index(i), mixed);
    }
    var below = mixed == null && !rules.tellsApart() ? path : mixed;
    rules
        .properties()
        .forEach((key, inside) -> place(inside, path.field("properties").key(key), below));
    var others = rules.others();
    if (others != null) {
      place(others, path.field("additionalProperties"), mixed);
    }
    var items = rules.items();
    if (items != null) {
      place(items, path.field("items"), below);
    }
  }

  private void rule(CompiledRule compiled, FieldPath path, @Nullable FieldPath mixed) {
    var rule = compiled.rule();
    if (!compiled.problem().isEmpty()) {
      errors.add(FieldError.invalid(path.field("rule"), printed(rule), compiled.problem()));
      return;
    }
    if (!compiled.messageProblem().isEmpty()) {
      errors.add(
          FieldError.invalid(
              path.field("messageExpression"), printed(rule), compiled.messageProblem()));
    }
    if (compiled.usesOld() && mixed != null) {
      errors.add(
          FieldError.invalid(
              path.field("rule"),
              rule.rule(),
              "oldSelf cannot be used on the uncorrelatable portion of the schema within "
                  + mixed));
    } else if (!compiled.usesOld() && rule.optionalOld()) {
      errors.add(
          FieldError.invalid(
              path.field("optionalOldSelf"),
              true,
              "may not be set if oldSelf is not used in rule"));
    }
  }

  private static JsonNode printed(ValidationRule rule) {
    return Wire.object()
        .put("Rule", rule.rule())
        .put("Message", rule.message())
        .put("MessageExpression", rule.messageExpression());
  }
}
