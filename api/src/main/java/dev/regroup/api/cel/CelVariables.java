package dev.regroup.api.cel;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cel.common.values.NullValue;
import dev.cel.runtime.CelVariableResolver;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The values of an environment's variables for one request. A variable that is declared and not set
 * is null. One thread.
 */
public final class CelVariables {
  private final Map<String, CelShape> shapes;
  private final Map<String, Object> values = new HashMap<>();

  CelVariables(Map<String, CelShape> shapes) {
    this.shapes = shapes;
  }

  /** A tree, read by the shape of the variable; null and what is missing become null. */
  public CelVariables set(String name, @Nullable JsonNode tree) {
    CelShape shape = shapes.get(name);
    if (shape == null) {
      throw new IllegalArgumentException("no variable " + name);
    }
    if (tree == null) {
      boolean optional = shape instanceof CelShape.OptionalOf;
      return put(name, optional ? Optional.empty() : NullValue.NULL_VALUE);
    }
    return put(name, JsonValues.value(tree, shape));
  }

  /** A value that an expression gave, or a map of such. */
  public CelVariables put(String name, Object value) {
    values.put(name, value);
    return this;
  }

  public CelVariables authorizer(String name, CelAuthorizer authorizer) {
    return put(name, AuthorizerFunctions.of(authorizer));
  }

  /** A resource to ask verbs of, such as the one of the request. */
  public CelVariables resource(
      String name, CelAuthorizer authorizer, CelAuthorizer.Question withoutVerb) {
    return put(name, AuthorizerFunctions.of(authorizer, withoutVerb));
  }

  CelVariableResolver resolver() {
    return name -> Optional.of(values.getOrDefault(name, NullValue.NULL_VALUE));
  }
}
