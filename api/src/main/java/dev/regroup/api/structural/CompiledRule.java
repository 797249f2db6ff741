package dev.regroup.api.structural;

import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.cel.CelCompiled;
import dev.regroup.api.cel.CelEnvironment;
import dev.regroup.api.cel.CelEnvironment.Result;
import dev.regroup.api.cel.CelExpression;
import dev.regroup.api.cel.CelShape;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One rule and what the compiler made of it.
 *
 * @param environment of the variables {@code self} and, when the rule uses it, {@code oldSelf}
 * @param expression null when it does not compile, and then {@code problem} says why
 * @param message null when there is none or it does not compile
 * @param at the field that the rule blames, from where it stands; the root for that place itself
 */
public record CompiledRule(
    ValidationRule rule,
    CelEnvironment environment,
    @Nullable CelExpression expression,
    @Nullable CelExpression message,
    boolean usesOld,
    String problem,
    String messageProblem,
    FieldPath at) {

  static final String SELF = "self";
  static final String OLD = "oldSelf";

  private static final String WRONG_TYPE = "must evaluate to ";
  private static final Pattern USES_OLD = Pattern.compile("\\boldSelf\\b");

  /** What {@code oldSelf} is in an environment; making one costs more than compiling a rule. */
  enum Past {
    NONE,
    VALUE,
    OPTIONAL;

    private static Past of(ValidationRule rule) {
      if (!USES_OLD.matcher(rule.rule()).find()) {
        return NONE;
      }
      return rule.optionalOld() ? OPTIONAL : VALUE;
    }

    CelEnvironment environment(CelShape shape) {
      return CelEnvironment.of(
          switch (this) {
            case NONE -> Map.of(SELF, shape);
            case VALUE -> Map.of(SELF, shape, OLD, shape);
            case OPTIONAL -> Map.of(SELF, shape, OLD, new CelShape.OptionalOf(shape));
          });
    }
  }

  /**
   * @param environments of the place that the rule stands at
   */
  static CompiledRule of(
      ValidationRule rule, Structural schema, Function<Past, CelEnvironment> environments) {
    var past = Past.of(rule);
    var environment = environments.apply(past);
    var compiled = environment.compile(rule.rule(), Result.BOOL);
    var message =
        rule.messageExpression().isBlank()
            ? null
            : environment.compile(rule.messageExpression(), Result.STRING);
    var path = RulePath.of(rule.fieldPath(), schema, RulePath.Brackets.ALLOWED);
    return new CompiledRule(
        rule,
        environment,
        expression(compiled),
        message == null ? null : expression(message),
        past != Past.NONE && compiled instanceof CelCompiled.Good,
        problem(compiled, "cel expression must evaluate to a bool", ""),
        message == null
            ? ""
            : problem(message, "messageExpression must evaluate to a string", "messageExpression "),
        path.problem().isEmpty() ? path.path() : FieldPath.ROOT);
  }

  private static @Nullable CelExpression expression(CelCompiled compiled) {
    return compiled instanceof CelCompiled.Good(CelExpression expression) ? expression : null;
  }

  private static String problem(CelCompiled compiled, String wrongType, String lead) {
    return switch (compiled) {
      case CelCompiled.Good _ -> "";
      case CelCompiled.Bad(String problem) ->
          problem.startsWith(WRONG_TYPE) ? wrongType : lead + problem;
    };
  }
}
