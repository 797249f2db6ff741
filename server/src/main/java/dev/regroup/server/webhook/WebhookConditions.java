package dev.regroup.server.webhook;

import dev.regroup.api.cel.CelBudget;
import dev.regroup.api.cel.CelCompiled;
import dev.regroup.api.cel.CelExpression;
import dev.regroup.api.cel.CelOutcome;
import dev.regroup.api.cel.CelVariables;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Expressions that say whether a webhook is asked at all. */
record WebhookConditions(
    List<String> texts, List<CelCompiled> compiled, Supplier<CelVariables> values) {

  static final WebhookConditions NONE =
      new WebhookConditions(
          List.of(),
          List.of(),
          () -> {
            throw new IllegalStateException("no conditions");
          });

  /** Whether all hold, or why that cannot be said. */
  record Met(boolean all, Optional<String> problem) {
    static final Met YES = new Met(true, Optional.empty());
    static final Met NO = new Met(false, Optional.empty());
  }

  boolean isEmpty() {
    return texts.isEmpty();
  }

  /** One that does not hold decides, also when another fails. */
  Met met(CelVariables variables, CelBudget budget) {
    var problems = new ArrayList<String>();
    for (int i = 0; i < texts.size(); i++) {
      var outcome =
          switch (compiled.get(i)) {
            case CelCompiled.Good(CelExpression expression) ->
                expression.evaluate(variables, budget);
            case CelCompiled.Bad(String problem) -> new CelOutcome.Failure(problem);
          };
      switch (outcome) {
        case CelOutcome.Failure(String text) ->
            problems.add("expression '" + texts.get(i) + "' resulted in error: " + text);
        case CelOutcome.Value(Object value) -> {
          if (!Boolean.TRUE.equals(value)) {
            return Met.NO;
          }
        }
      }
    }
    return problems.isEmpty()
        ? Met.YES
        : new Met(
            false,
            Optional.of(
                problems.size() == 1
                    ? problems.getFirst()
                    : "[" + String.join(", ", problems) + "]"));
  }
}
