package dev.regroup.api.cel;

import static dev.cel.common.types.SimpleType.BOOL;
import static dev.cel.common.types.SimpleType.DOUBLE;
import static dev.cel.common.types.SimpleType.INT;
import static dev.cel.common.types.SimpleType.STRING;

import dev.cel.common.types.CelType;
import dev.cel.common.types.OpaqueType;
import dev.cel.runtime.CelEvaluationException;
import dev.regroup.api.schema.Quantity;
import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code quantity}: amounts of resources, compared and added whatever their spelling. */
final class QuantityFunctions {
  private static final CelType QUANTITY = OpaqueType.create("kubernetes.Quantity");

  /** Equal when the amount is, unlike a quantity of the API, which keeps its spelling. */
  private static final class Amount implements Comparable<Amount> {
    private final BigDecimal value;

    Amount(BigDecimal value) {
      this.value = value;
    }

    @Override
    public int compareTo(Amount other) {
      return value.compareTo(other.value);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Amount amount && compareTo(amount) == 0;
    }

    @Override
    public int hashCode() {
      return value.stripTrailingZeros().hashCode();
    }
  }

  private QuantityFunctions() {}

  static FunctionTable table() {
    var two = List.of(QUANTITY, QUANTITY);
    var withInt = List.<CelType>of(QUANTITY, INT);
    return new FunctionTable()
        .type(QUANTITY, Amount.class)
        .global("quantity", "string_to_quantity", QUANTITY, List.of(STRING), args -> parse(args[0]))
        .global(
            "isQuantity",
            "is_quantity_string",
            BOOL,
            List.of(STRING),
            args -> Quantity.of((String) args[0]).isPresent())
        .member(
            "sign", "quantity_sign", INT, List.of(QUANTITY), args -> (long) of(args[0]).signum())
        .member(
            "isInteger",
            "quantity_is_integer",
            BOOL,
            List.of(QUANTITY),
            args -> isInteger(of(args[0])))
        .member(
            "asInteger",
            "quantity_get_int",
            INT,
            List.of(QUANTITY),
            args -> {
              if (!isInteger(of(args[0]))) {
                throw new CelEvaluationException("cannot convert value to integer");
              }
              return of(args[0]).longValueExact();
            })
        .member(
            "asApproximateFloat",
            "quantity_get_float",
            DOUBLE,
            List.of(QUANTITY),
            args -> of(args[0]).doubleValue())
        .member("add", "quantity_add", QUANTITY, two, args -> sum(of(args[0]), of(args[1])))
        .member("add", "quantity_add_int", QUANTITY, withInt, args -> sum(of(args[0]), whole(args)))
        .member(
            "sub", "quantity_sub", QUANTITY, two, args -> sum(of(args[0]), of(args[1]).negate()))
        .member(
            "sub",
            "quantity_sub_int",
            QUANTITY,
            withInt,
            args -> sum(of(args[0]), whole(args).negate()))
        .member(
            "isLessThan",
            "quantity_is_less_than",
            BOOL,
            two,
            args -> of(args[0]).compareTo(of(args[1])) < 0)
        .member(
            "isGreaterThan",
            "quantity_is_greater_than",
            BOOL,
            two,
            args -> of(args[0]).compareTo(of(args[1])) > 0)
        .member(
            "compareTo",
            "quantity_compare_to",
            INT,
            two,
            args -> (long) of(args[0]).compareTo(of(args[1])));
  }

  private static Amount parse(Object text) throws CelEvaluationException {
    return switch (Quantity.parse((String) text)) {
      case Quantity.Parsed.Good(Quantity quantity) -> new Amount(quantity.amount());
      case Quantity.Parsed.Bad(String problem) -> throw new CelEvaluationException(problem);
    };
  }

  private static BigDecimal of(Object quantity) {
    return ((Amount) quantity).value;
  }

  private static BigDecimal whole(Object[] args) {
    return BigDecimal.valueOf((Long) args[1]);
  }

  private static Amount sum(BigDecimal a, BigDecimal b) {
    return new Amount(a.add(b));
  }

  private static boolean isInteger(BigDecimal value) {
    return value.stripTrailingZeros().scale() <= 0
        && value.abs().compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) <= 0;
  }
}
