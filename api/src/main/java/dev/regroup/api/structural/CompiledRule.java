package dev.regroup.api.structural;

import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.cel.CelCompiled;
import dev.regroup.api.cel.CelEnvironment;
import dev.regroup.api.cel.CelEnvironment.Result;
import dev.regroup.api.cel.CelExpression;
import dev.regroup.api.cel.CelShape;
import java.util.Map;
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

  static CompiledRule of(ValidationRule rule, Structural schema, CelShape shape) {
    var plain = CelEnvironment.of(Map.of(SELF, shape));
    var first = plain.compile(rule.rule(), Result.BOOL);
    boolean usesOld = first instanceof CelCompiled.Bad;
    CelShape old = rule.optionalOld() ? new CelShape.OptionalOf(shape) : shape;
    var environment = usesOld ? CelEnvironment.of(Map.of(SELF, shape, OLD, old)) : plain;
    var compiled = usesOld ? environment.compile(rule.rule(), Result.BOOL) : first;
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
        usesOld && compiled instanceof CelCompiled.Good,
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
