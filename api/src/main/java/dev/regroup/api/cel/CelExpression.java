package dev.regroup.api.cel;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelUnknownSet;
import java.util.regex.Pattern;

/** A compiled expression. Immutable; any number of threads evaluate it at once. */
public final class CelExpression {
  private static final Pattern PLACE = Pattern.compile("^evaluation error(?: at \\S+)?: ");
  private static final Pattern NO_KEY = Pattern.compile("^key '(.*)' is not present in map\\.$");
  private static final Pattern INDEX = Pattern.compile("^Index out of bounds: (.*)$");

  private final CelShape shape;
  private final CelRuntime.Program program;
  private final CelAbstractSyntaxTree tree;

  CelExpression(CelAbstractSyntaxTree tree, CelRuntime.Program program) {
    this.shape = new ResultShape(tree.getResultType());
    this.program = program;
    this.tree = tree;
  }

  /** What other expressions may assume of its value. */
  public CelShape shape() {
    return shape;
  }

  /** The most it can cost, in the steps of {@link CelBudget}, whatever the values are. */
  public long mostCost(CelSizes sizes) {
    return CostEstimate.most(tree, sizes);
  }

  /** The value for these variables; never throws for what a text can cause. */
  public CelOutcome evaluate(CelVariables variables, CelBudget budget) {
    budget.begin();
    try {
      Object value = program.trace(variables.resolver(), budget::step);
      return value instanceof CelUnknownSet
          ? new CelOutcome.Failure("no such attribute(s): " + value)
          : new CelOutcome.Value(value);
    } catch (CelEvaluationException e) {
      return new CelOutcome.Failure(words(e));
    } catch (StackOverflowError e) {
      return new CelOutcome.Failure("expression is nested too deeply");
    }
  }

  private static String words(CelEvaluationException failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof CelBudget.Spent) {
        return CelBudget.SPENT;
      }
    }
    String message = PLACE.matcher(String.valueOf(failure.getMessage())).replaceFirst("");
    var key = NO_KEY.matcher(message);
    if (key.matches()) {
      return "no such key: " + key.group(1);
    }
    var index = INDEX.matcher(message);
    if (index.matches()) {
      return "index out of bounds: " + index.group(1);
    }
    return switch (failure.getErrorCode()) {
      case ATTRIBUTE_NOT_FOUND ->
          message.startsWith("Error resolving field")
              ? "no such overload"
              : "no such key: " + message;
      case OVERLOAD_NOT_FOUND -> "no such overload";
      case DIVIDE_BY_ZERO -> "division by zero";
      default -> cause(failure, message);
    };
  }

  /** The library prints the arguments of a function that failed; what was wrong is in the cause. */
  private static String cause(CelEvaluationException failure, String message) {
    Throwable cause = failure.getCause();
    return message.startsWith("Function '") && cause != null && cause.getMessage() != null
        ? cause.getMessage()
        : message;
  }
}
