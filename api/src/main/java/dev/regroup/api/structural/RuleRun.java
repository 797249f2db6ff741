package dev.regroup.api.structural;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.cel.CelBudget;
import dev.regroup.api.cel.CelExpression;
import dev.regroup.api.cel.CelOutcome;
import dev.regroup.api.cel.CelVariables;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One evaluation of the rules of a schema: what it found, and what it may still cost. */
final class RuleRun {
  private static final String SPENT = "operation cancelled: actual cost limit exceeded";
  private static final int LONGEST_MESSAGE = 5 * 1024;

  private final CelBudget budget;
  private final List<FieldError> errors = new ArrayList<>();
  private boolean over;

  /**
   * What is known of the value before the change: here, or at the nearest place above.
   *
   * @param here null when this place had no counterpart
   */
  record Ratchet(@Nullable Counterpart here, @Nullable Counterpart above) {

    Ratchet key(String name) {
      return here == null ? this : new Ratchet(here.key(name), here);
    }

    Ratchet item(int index) {
      return here == null ? this : new Ratchet(here.item(index), here);
    }

    boolean isSame() {
      var known = here == null ? above : here;
      return known != null && known.isSame();
    }
  }

  RuleRun(CelBudget budget) {
    this.budget = budget;
  }

  boolean isOver() {
    return over;
  }

  List<FieldError> errors() {
    return errors;
  }

  void evaluate(
      CompiledRule compiled,
      Structural schema,
      FieldPath path,
      JsonNode value,
      @Nullable JsonNode old,
      Ratchet ratchet) {
    var rule = compiled.rule();
    var expression = compiled.expression();
    boolean skipped = compiled.usesOld() && old == null && !rule.optionalOld();
    if (over || expression == null || skipped) {
      return;
    }
    var variables = compiled.environment().variables().set(CompiledRule.SELF, value);
    if (compiled.usesOld()) {
      variables.set(CompiledRule.OLD, old);
    }
    switch (expression.evaluate(variables, budget)) {
      case CelOutcome.Value(Boolean good) when good -> {}
      case CelOutcome.Value _ -> {
        if (compiled.usesOld() || !ratchet.isSame()) {
          errors.add(refusal(compiled, schema, path, value, variables));
        }
      }
      case CelOutcome.Failure(String why) -> failed(why, rule, schema, path);
    }
  }

  private void failed(String why, ValidationRule rule, Structural schema, FieldPath path) {
    String text;
    if (budget.spent()) {
      over = true;
      text =
          "validation failed due to running out of cost budget, no further validation rules will"
              + " be run";
    } else if (why.startsWith("no such overload")) {
      text =
          "'%s': call arguments did not match a supported operator, function or macro signature for"
              + " rule: %s";
    } else if (why.startsWith(SPENT)) {
      over = true;
      text =
          "'%s': no further validation rules will be run due to call cost exceeds limit for rule:"
              + " %s";
    } else {
      text = "%s evaluating rule: %s";
    }
    errors.add(
        FieldError.invalid(
            path, schema.type(), text.contains("%s") ? text.formatted(why, rule.title()) : text));
  }

  private FieldError refusal(
      CompiledRule compiled,
      Structural schema,
      FieldPath path,
      JsonNode value,
      CelVariables variables) {
    var rule = compiled.rule();
    var steps = new ArrayList<>(path.steps());
    steps.addAll(compiled.at().steps());
    var at = new FieldPath(steps);
    var detail = message(compiled.message(), variables);
    if (detail.isEmpty()) {
      detail = rule.message().isEmpty() ? "failed rule: " + rule.title() : rule.title();
    }
    boolean large = schema.type().equals("object") || schema.type().equals("array");
    Object shown = large ? FieldError.OMITTED : value;
    return switch (rule.reason()) {
      case "FieldValueForbidden" -> FieldError.forbidden(at, detail);
      case "FieldValueRequired" -> FieldError.required(at, detail);
      case "FieldValueDuplicate" -> FieldError.duplicate(at, shown);
      default -> FieldError.invalid(at, shown, detail);
    };
  }

  /** Empty when it gives nothing that can be shown: then the rule's own message is. */
  private String message(@Nullable CelExpression expression, CelVariables variables) {
    if (expression == null) {
      return "";
    }
    if (!(expression.evaluate(variables, budget) instanceof CelOutcome.Value(String text))) {
      return "";
    }
    var plain = text.strip();
    return plain.length() > LONGEST_MESSAGE || plain.indexOf('\n') >= 0 ? "" : plain;
  }
}
