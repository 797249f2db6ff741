package dev.regroup.api.policy;

import dev.regroup.api.cel.CelBudget;
import dev.regroup.api.cel.CelCompiled;
import dev.regroup.api.cel.CelExpression;
import dev.regroup.api.cel.CelOutcome;
import dev.regroup.api.cel.CelVariables;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One policy asked about one request. One thread. */
public final class PolicyCheck {
  private static final int LONGEST_MESSAGE = 5 * 1024;

  private final CompiledPolicy policy;
  private final CelVariables values;
  private final CelBudget budget;

  /**
   * What speaks against the request.
   *
   * @param reason {@code Invalid}, {@code Forbidden} and so on; empty when the policy names none
   */
  public record Objection(String message, String reason) {}

  /**
   * A check of these values.
   *
   * @param values all but {@code variables}, which are the policy's own
   */
  public PolicyCheck(CompiledPolicy policy, CelVariables values, CelBudget budget) {
    this.policy = policy;
    this.values = values.put("variables", new LazyVariables());
    this.budget = budget;
  }

  /** All objections, in the order of the policy; none when its conditions leave the request out. */
  public List<Objection> objections() {
    var failures = new ArrayList<String>();
    for (var condition : policy.conditions()) {
      switch (evaluate(condition)) {
        case CelOutcome.Failure(String text) -> failures.add(failed(condition, text));
        case CelOutcome.Value(Object value) -> {
          if (!Boolean.TRUE.equals(value)) {
            return List.of(); // also when another condition failed
          }
        }
      }
    }
    if (!failures.isEmpty()) {
      return failure(
          failures.size() == 1
              ? failures.getFirst()
              : "[" + String.join(", ", new LinkedHashSet<>(failures)) + "]");
    }
    var objections = new ArrayList<Objection>();
    for (var rule : policy.rules()) {
      switch (evaluate(rule.expression())) {
        case CelOutcome.Failure(String text) ->
            objections.addAll(failure(failed(rule.expression(), text)));
        case CelOutcome.Value(Object value) -> {
          if (!Boolean.TRUE.equals(value)) {
            objections.add(new Objection(message(rule), rule.reason()));
          }
        }
      }
    }
    return objections;
  }

  /** An error that is no objection when the policy lets failures pass. */
  private List<Objection> failure(String message) {
    return policy.failsClosed() ? List.of(new Objection(message, "")) : List.of();
  }

  private static String failed(CompiledPolicy.Compiled expression, String problem) {
    return "expression '" + expression.text() + "' resulted in error: " + problem;
  }

  private CelOutcome evaluate(CompiledPolicy.Compiled compiled) {
    return switch (compiled.result()) {
      case CelCompiled.Good(CelExpression expression) -> expression.evaluate(values, budget);
      case CelCompiled.Bad(String problem) -> new CelOutcome.Failure(problem);
    };
  }

  /** The words the policy computes, if they can be said, else those it has. */
  private String message(CompiledPolicy.Rule rule) {
    var computed =
        rule.says()
            .map(this::evaluate)
            .filter(outcome -> outcome instanceof CelOutcome.Value)
            .map(outcome -> String.valueOf(((CelOutcome.Value) outcome).value()).strip())
            .filter(text ->
                !text.isEmpty() && text.length() <= LONGEST_MESSAGE && text.indexOf('\n') < 0);
    if (computed.isPresent()) {
      return computed.get();
    }
    return rule.message().isEmpty()
        ? "failed expression: " + rule.expression().text().strip()
        : rule.message();
  }

  /** Variables are computed when an expression first looks at them, and then kept. */
  private final class LazyVariables extends AbstractMap<String, Object> {
    private final Map<String, CelOutcome> known = new HashMap<>();

    @Override
    public boolean containsKey(@Nullable Object key) {
      return key instanceof String name && policy.variables().containsKey(name);
    }

    @Override
    public @Nullable Object get(@Nullable Object key) {
      if (!(key instanceof String name)) {
        return null;
      }
      var compiled = policy.variables().get(name);
      if (compiled == null) {
        return null;
      }
      CelOutcome outcome = known.get(name);
      if (outcome == null) {
        outcome = evaluate(compiled);
        known.put(name, outcome);
      }
      return switch (outcome) {
        case CelOutcome.Value(Object value) -> value;
        case CelOutcome.Failure(String text) ->
            throw new IllegalStateException(
                "composited variable \"" + name + "\" fails to evaluate: " + text);
      };
    }

    @Override
    public Set<Entry<String, Object>> entrySet() {
      throw new UnsupportedOperationException("variables are looked at by name");
    }
  }
}
