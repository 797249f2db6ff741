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
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Whether the rules of a schema can be compiled, look back only where old and new can be told
 * apart, and cannot cost too much: what a rule does times how often its place can be in an object.
 */
final class RuleCompilation {
  private static final String RULES = "x-kubernetes-validations";

  private final List<FieldError> errors = new ArrayList<>();
  private final RuleCosts costs;

  private RuleCompilation(RuleCosts costs) {
    this.costs = costs;
  }

  /**
   * @param stored whether the schema is already stored, and its rules were found affordable one by
   *     one
   */
  static List<FieldError> check(Structural schema, FieldPath path, boolean stored) {
    if (!schema.hasRules()) {
      return List.of();
    }
    var compilation = new RuleCompilation(new RuleCosts(stored));
    compilation.place(SchemaRules.ofObject(schema), path, null, OptionalLong.of(1));
    compilation.errors.addAll(compilation.costs.ofAll(path));
    return compilation.errors;
  }

  /**
   * @param mixed the outermost place above in which old and new cannot be told apart
   * @param times how often it can be in an object; nothing without a limit
   */
  private void place(
      SchemaRules rules, FieldPath path, @Nullable FieldPath mixed, OptionalLong times) {
    var here = rules.here();
    long count = times.orElseGet(rules::mostOccurrences);
    for (int i = 0; i < here.size(); i++) {
      var at = path.field(RULES).index(i);
      var expression = here.get(i).expression();
      if (expression != null) {
        long cost = RuleCosts.product(rules.mostCost(expression), count);
        costs.observe(at.field("rule"), "rule", cost).ifPresent(errors::add);
      }
      rule(here.get(i), at, mixed);
      var message = here.get(i).message();
      if (message != null) {
        costs
            .observe(at.field("messageExpression"), "messageExpression", rules.mostCost(message))
            .ifPresent(errors::add);
      }
    }
    var below = mixed == null && !rules.tellsApart() ? path : mixed;
    var inside = RuleCosts.product(times, rules.mostBelow());
    rules
        .properties()
        .forEach((key, one) -> place(one, path.field("properties").key(key), below, inside));
    var others = rules.others();
    if (others != null) {
      place(others, path.field("additionalProperties"), mixed, inside);
    }
    var items = rules.items();
    if (items != null) {
      place(items, path.field("items"), below, inside);
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
