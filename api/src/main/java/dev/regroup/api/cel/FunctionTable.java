package dev.regroup.api.cel;

import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelFunctionOverload;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Functions of one theme: what the compiler is told of each and what it does, written in one place.
 * Filled while it is made, then only read.
 */
final class FunctionTable {
  private final Map<String, List<CelOverloadDecl>> declared = new LinkedHashMap<>();
  private final List<CelFunctionBinding> bindings = new ArrayList<>();
  private final Map<String, Class<?>> classes = new HashMap<>();

  /** A type of the theme's own and the class of its values. */
  FunctionTable type(CelType type, Class<?> values) {
    classes.put(type.name(), values);
    return this;
  }

  /** {@code name(arguments)}. */
  FunctionTable global(
      String name, String id, CelType result, List<CelType> arguments, CelFunctionOverload body) {
    return add(name, CelOverloadDecl.newGlobalOverload(id, result, arguments), body);
  }

  /** {@code first.name(others)}. */
  FunctionTable member(
      String name, String id, CelType result, List<CelType> arguments, CelFunctionOverload body) {
    return add(name, CelOverloadDecl.newMemberOverload(id, result, arguments), body);
  }

  private FunctionTable add(String name, CelOverloadDecl overload, CelFunctionOverload body) {
    declared.computeIfAbsent(name, _ -> new ArrayList<>()).add(overload);
    var arguments = new ArrayList<Class<?>>();
    overload.parameterTypes().forEach(type -> arguments.add(valuesOf(type)));
    bindings.add(CelFunctionBinding.from(overload.overloadId(), arguments, body));
    return this;
  }

  private Class<?> valuesOf(CelType type) {
    Class<?> own = classes.get(type.name());
    if (own != null) {
      return own;
    }
    return switch (type.kind()) {
      case STRING -> String.class;
      case INT -> Long.class;
      case BOOL -> Boolean.class;
      case DOUBLE -> Double.class;
      case LIST -> List.class;
      case MAP -> Map.class;
      case DURATION -> Duration.class;
      case TIMESTAMP -> Instant.class;
      default -> Object.class;
    };
  }

  List<CelFunctionDecl> declarations() {
    return declared.entrySet().stream()
        .map(entry -> CelFunctionDecl.newFunctionDeclaration(entry.getKey(), entry.getValue()))
        .toList();
  }

  List<CelFunctionBinding> bindings() {
    return List.copyOf(bindings);
  }

  /** The value, or the failure of the function with this text. */
  static <T> T orFail(Optional<T> value, String problem) throws CelEvaluationException {
    if (value.isEmpty()) {
      throw new CelEvaluationException(problem);
    }
    return value.get();
  }
}
