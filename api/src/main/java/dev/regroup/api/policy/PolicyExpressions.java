package dev.regroup.api.policy;

import dev.regroup.api.cel.CelCompiled;
import dev.regroup.api.cel.CelEnvironment;
import dev.regroup.api.cel.CelEnvironment.Result;
import dev.regroup.api.cel.CelExpression;
import dev.regroup.api.cel.CelShape;
import dev.regroup.api.cel.CelShape.Plain;
import dev.regroup.api.cel.CelVariables;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Compiles the expressions of one policy or one webhook, each in the surroundings its place allows:
 * parameters where there are some, the authorizer everywhere but in messages, variables once they
 * are compiled. One thread.
 */
public final class PolicyExpressions {

  /** What a policy has or a place allows beside the object and the request. */
  public enum Extra {
    PARAMS,
    AUTHORIZER,
    VARIABLES
  }

  // Surroundings without variables are the same for all: made once, when the first policy comes.
  private static final Map<Set<Extra>, CelEnvironment> SHARED = new ConcurrentHashMap<>();

  private final Set<Extra> has;
  private final CelShape object;
  private final CelShape params;
  private final Map<String, CelShape> variables = new LinkedHashMap<>();
  private final Map<Set<Extra>, CelEnvironment> own = new ConcurrentHashMap<>();

  private PolicyExpressions(Set<Extra> has, CelShape object, CelShape params) {
    this.has = has;
    this.object = object;
    this.params = params;
  }

  /** Of a policy with or without parameters, or of a webhook. */
  public static PolicyExpressions of(Set<Extra> has) {
    return new PolicyExpressions(has, Plain.DYN, Plain.DYN);
  }

  /** The same where the kinds of the object and of the parameters are known. */
  static PolicyExpressions typed(Set<Extra> has, CelShape object, CelShape params) {
    return new PolicyExpressions(has, object, params);
  }

  /** Whether a request is looked at. */
  public CelCompiled condition(String text) {
    return environment(Extra.PARAMS, Extra.AUTHORIZER).compile(text, Result.BOOL);
  }

  /** A variable for the expressions after it; one that does not compile could be anything. */
  public CelCompiled variable(String name, String text) {
    var compiled = everything().compile(text, Result.ANY);
    variables.put(
        name,
        compiled instanceof CelCompiled.Good(CelExpression expression)
            ? expression.shape()
            : Plain.DYN);
    return compiled;
  }

  /** What must be true. */
  public CelCompiled validation(String text) {
    return everything().compile(text, Result.BOOL);
  }

  /** The words of a refusal. */
  public CelCompiled message(String text) {
    return environment(Extra.PARAMS, Extra.VARIABLES).compile(text, Result.STRING);
  }

  /** The value of an audit annotation. */
  public CelCompiled annotation(String text) {
    return everything().compile(text, Result.STRING_OR_NULL);
  }

  /** For the values of one request. */
  public CelVariables values() {
    return everything().variables();
  }

  private CelEnvironment everything() {
    return environment(Extra.PARAMS, Extra.AUTHORIZER, Extra.VARIABLES);
  }

  private CelEnvironment environment(Extra first, Extra... others) {
    var wanted = EnumSet.of(first, others);
    wanted.retainAll(has);
    boolean shared =
        !wanted.contains(Extra.VARIABLES) && object == Plain.DYN && params == Plain.DYN;
    return (shared ? SHARED : own).computeIfAbsent(wanted, this::build);
  }

  private CelEnvironment build(Set<Extra> extras) {
    var all = new LinkedHashMap<String, CelShape>();
    all.put("object", object);
    all.put("oldObject", object);
    all.put("request", PolicyShapes.REQUEST);
    all.put("namespaceObject", PolicyShapes.NAMESPACE);
    for (var extra : extras) {
      switch (extra) {
        case PARAMS -> all.put("params", params);
        case AUTHORIZER -> {
          all.put("authorizer", Plain.AUTHORIZER);
          all.put("authorizer.requestResource", Plain.RESOURCE_CHECK);
        }
        case VARIABLES ->
            all.put("variables", PolicyShapes.structure("kubernetes.variables", variables));
      }
    }
    return CelEnvironment.of(all);
  }
}
