package dev.regroup.api.cel;

import com.google.common.primitives.UnsignedLong;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.navigation.CelNavigableAst;
import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypes;
import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.TypeParamType;
import dev.cel.common.values.CelByteString;
import dev.cel.runtime.CelEvaluationException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** {@code sum}, {@code min}, {@code max}, {@code isSorted}, {@code indexOf} of lists. */
final class ListFunctions {
  private static final String NO_OVERLOAD = "no such overload";
  private static final CelType ITEM = TypeParamType.create("T");
  private static final CelType LIST = ListType.create(ITEM);

  private static final Set<CelKind> SUMMED =
      Set.of(
          CelKind.INT,
          CelKind.UINT,
          CelKind.DOUBLE,
          CelKind.DURATION,
          CelKind.DYN,
          CelKind.TYPE_PARAM);
  private static final Set<CelKind> ORDERED =
      Set.of(
          CelKind.INT,
          CelKind.UINT,
          CelKind.DOUBLE,
          CelKind.BOOL,
          CelKind.DURATION,
          CelKind.TIMESTAMP,
          CelKind.STRING,
          CelKind.BYTES,
          CelKind.DYN,
          CelKind.TYPE_PARAM);
  private static final Map<String, Set<CelKind>> KINDS =
      Map.of("sum", SUMMED, "min", ORDERED, "max", ORDERED, "isSorted", ORDERED);

  private ListFunctions() {}

  static FunctionTable table() {
    return new FunctionTable()
        .member("sum", "list_sum", ITEM, List.of(LIST), args -> sum((List<?>) args[0]))
        .member("min", "list_min", ITEM, List.of(LIST), args -> most((List<?>) args[0], "min", -1))
        .member("max", "list_max", ITEM, List.of(LIST), args -> most((List<?>) args[0], "max", 1))
        .member(
            "isSorted",
            "list_is_sorted",
            SimpleType.BOOL,
            List.of(LIST),
            args -> isSorted((List<?>) args[0]))
        .member(
            "indexOf",
            "list_index_of",
            SimpleType.INT,
            List.of(LIST, ITEM),
            args -> (long) ((List<?>) args[0]).indexOf(args[1]))
        .member(
            "lastIndexOf",
            "list_last_index_of",
            SimpleType.INT,
            List.of(LIST, ITEM),
            args -> (long) ((List<?>) args[0]).lastIndexOf(args[1]));
  }

  /** The first use of such a function on items it is not for, where the compiler knows them. */
  static Optional<String> misuse(CelAbstractSyntaxTree tree) {
    return CelNavigableAst.fromAst(tree)
        .getRoot()
        .allNodes()
        .map(node -> node.expr())
        .filter(expr -> expr.getKind() == CelExpr.ExprKind.Kind.CALL)
        .map(expr -> misuse(tree, expr.call()))
        .flatMap(Optional::stream)
        .findFirst();
  }

  private static Optional<String> misuse(CelAbstractSyntaxTree tree, CelExpr.CelCall call) {
    Set<CelKind> kinds = KINDS.get(call.function());
    if (kinds == null || call.target().isEmpty()) {
      return Optional.empty();
    }
    return tree.getType(call.target().get().id())
        .filter(type -> type instanceof ListType)
        .map(type -> ((ListType) type).elemType())
        .filter(item -> !kinds.contains(item.kind()))
        .map(item ->
            "found no matching overload for '%s' applied to 'list(%s).()'"
                .formatted(call.function(), CelTypes.format(item)));
  }

  private static Object sum(List<?> items) throws CelEvaluationException {
    if (items.isEmpty()) {
      return 0L;
    }
    Object sum = items.getFirst();
    if (!(sum instanceof Long
        || sum instanceof Double
        || sum instanceof Duration
        || sum instanceof UnsignedLong)) {
      throw new CelEvaluationException(NO_OVERLOAD);
    }
    try {
      for (Object item : items.subList(1, items.size())) {
        sum = plus(sum, item);
      }
    } catch (ArithmeticException e) {
      throw new CelEvaluationException("integer overflow", e);
    }
    return sum;
  }

  private static Object plus(Object sum, Object item) throws CelEvaluationException {
    if (sum instanceof Long a && item instanceof Long b) {
      return Math.addExact(a, b);
    }
    if (sum instanceof Double a && item instanceof Double b) {
      return a + b;
    }
    if (sum instanceof Duration a && item instanceof Duration b) {
      return a.plus(b);
    }
    if (sum instanceof UnsignedLong a && item instanceof UnsignedLong b) {
      return a.plus(b);
    }
    throw new CelEvaluationException(NO_OVERLOAD);
  }

  private static Object most(List<?> items, String function, int sign)
      throws CelEvaluationException {
    if (items.isEmpty()) {
      throw new CelEvaluationException(function + " called on empty list");
    }
    Object most = items.getFirst();
    for (Object item : items) {
      if (compare(item, most) * sign > 0) {
        most = item;
      }
    }
    return most;
  }

  private static boolean isSorted(List<?> items) throws CelEvaluationException {
    for (int i = 1; i < items.size(); i++) {
      if (compare(items.get(i - 1), items.get(i)) > 0) {
        return false;
      }
    }
    return true;
  }

  private static int compare(Object a, Object b) throws CelEvaluationException {
    if (a instanceof CelByteString x && b instanceof CelByteString y) {
      return java.util.Arrays.compareUnsigned(x.toByteArray(), y.toByteArray());
    }
    if (a instanceof Number x && b instanceof Number y && !x.getClass().equals(y.getClass())) {
      return Double.compare(x.doubleValue(), y.doubleValue());
    }
    if (a instanceof Long x && b instanceof Long y) {
      return x.compareTo(y);
    }
    if (a instanceof Double x && b instanceof Double y) {
      return x.compareTo(y);
    }
    if (a instanceof UnsignedLong x && b instanceof UnsignedLong y) {
      return x.compareTo(y);
    }
    if (a instanceof String x && b instanceof String y) {
      return x.compareTo(y);
    }
    if (a instanceof Boolean x && b instanceof Boolean y) {
      return x.compareTo(y);
    }
    if (a instanceof Duration x && b instanceof Duration y) {
      return x.compareTo(y);
    }
    if (a instanceof Instant x && b instanceof Instant y) {
      return x.compareTo(y);
    }
    throw new CelEvaluationException(NO_OVERLOAD);
  }
}
