package dev.regroup.api.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.cel.CelCompiled;
import dev.regroup.api.cel.CelVariables;
import dev.regroup.api.policy.PolicyExpressions.Extra;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A {@code ValidatingAdmissionPolicy} that is ready to decide. Immutable, any thread. The text of
 * each expression was accepted when the policy was stored; one that no longer compiles fails
 * whenever it is asked, and the failure policy says what that means.
 *
 * @param paramKind of the objects that bindings refer to; empty when it takes none
 */
public record CompiledPolicy(
    String name,
    MatchCriteria match,
    List<Compiled> conditions,
    Map<String, Compiled> variables,
    List<Rule> rules,
    boolean failsClosed,
    Optional<GroupVersionKind> paramKind,
    Supplier<CelVariables> values) {

  /** A text and what became of it. */
  record Compiled(String text, CelCompiled result) {}

  /** One validation: what must hold, and what is said when it does not. */
  record Rule(Compiled expression, String message, Optional<Compiled> says, String reason) {}

  /** The policy that a stored object is. */
  public static CompiledPolicy of(ObjectNode policy) {
    JsonNode spec = policy.path("spec");
    var paramKind = paramKind(spec);
    var expressions = PolicyExpressions.of(extras(paramKind.isPresent()));
    var conditions = new ArrayList<Compiled>();
    for (ObjectNode condition : Trees.objects(spec, "matchConditions")) {
      var text = Trees.text(condition, "expression");
      conditions.add(new Compiled(text, expressions.condition(text)));
    }
    var variables = new LinkedHashMap<String, Compiled>();
    for (ObjectNode variable : Trees.objects(spec, "variables")) {
      var name = Trees.text(variable, "name");
      var text = Trees.text(variable, "expression");
      variables.put(name, new Compiled(text, expressions.variable(name, text)));
    }
    var rules = new ArrayList<Rule>();
    for (ObjectNode validation : Trees.objects(spec, "validations")) {
      rules.add(rule(validation, expressions));
    }
    return new CompiledPolicy(
        Trees.text(policy, "metadata", "name"),
        MatchCriteria.ofPolicy(spec.path("matchConstraints")),
        conditions,
        variables,
        rules,
        !Trees.text(spec, "failurePolicy").equals("Ignore"),
        paramKind,
        expressions::values);
  }

  static EnumSet<Extra> extras(boolean params) {
    return params ? EnumSet.allOf(Extra.class) : EnumSet.of(Extra.AUTHORIZER, Extra.VARIABLES);
  }

  static Optional<GroupVersionKind> paramKind(JsonNode spec) {
    return Trees.object(spec, "paramKind")
        .map(kind -> GroupVersionKind.of(Trees.text(kind, "apiVersion"), Trees.text(kind, "kind")));
  }

  private static Rule rule(ObjectNode validation, PolicyExpressions expressions) {
    var text = Trees.text(validation, "expression");
    var message = Trees.text(validation, "messageExpression");
    return new Rule(
        new Compiled(text, expressions.validation(text)),
        Trees.text(validation, "message").strip(),
        message.isBlank()
            ? Optional.empty()
            : Optional.of(new Compiled(message, expressions.message(message))),
        Trees.text(validation, "reason"));
  }
}
