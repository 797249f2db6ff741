package dev.regroup.api.structural;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import java.math.BigDecimal;

/**
 * Checks of one number: its size, its limits and, oddly, whether the limits themselves are of the
 * type, as Kubernetes checks them with every value.
 */
final class NumberLimits {
  private static final double LARGEST_WHOLE = 9_007_199_254_740_991.0; // of JSON: 2^53 - 1

  private final Structural schema;
  private final FieldPath root;
  private final String path;
  private final SchemaFindings findings;

  NumberLimits(Structural schema, FieldPath root, String path, SchemaFindings findings) {
    this.schema = schema;
    this.root = root;
    this.path = path;
    this.findings = findings;
  }

  void check(JsonNode value) {
    var range = schema.limits().range();
    fits(value.decimalValue(), "Checked");
    double number = value.doubleValue();
    boolean whole = value.isIntegralNumber();
    Double factor = range.multipleOf();
    if (factor != null) {
      multiple(value, number, factor);
    }
    Double minimum = range.minimum();
    if (minimum != null) {
      boolean exact = fits(BigDecimal.valueOf(minimum), "Minimum boundary") && whole;
      double limit = exact ? minimum.longValue() : minimum;
      if (range.aboveMinimum() ? number <= limit : number < limit) {
        add(value, range.aboveMinimum() ? "greater than" : "greater than or equal to", limit);
      }
    }
    Double maximum = range.maximum();
    if (maximum != null) {
      boolean exact = fits(BigDecimal.valueOf(maximum), "Maximum boundary") && whole;
      double limit = exact ? maximum.longValue() : maximum;
      if (range.belowMaximum() ? number >= limit : number > limit) {
        add(value, range.belowMaximum() ? "less than" : "less than or equal to", limit);
      }
    }
    findings.pass();
  }

  private void multiple(JsonNode value, double number, double factor) {
    boolean exact = fits(BigDecimal.valueOf(factor), "MultipleOf") && value.isIntegralNumber();
    double of = exact ? (long) factor : factor;
    if (of <= 0) {
      var text = "factor MultipleOf declared for " + path + " must be positive: " + printed(of);
      findings.add(text, FieldError.invalid(SchemaValidation.at(root, path), of, text));
      return;
    }
    double times = of < 1 ? 1 / of * number : number / of;
    boolean fits = exact ? value.longValue() % (long) of == 0 : isWhole(times);
    if (!fits) {
      add(value, "a multiple of", of);
    }
  }

  private void add(JsonNode value, String relation, double limit) {
    var text = path + " in body should be " + relation + " " + printed(limit);
    findings.add(text, FieldError.invalid(SchemaValidation.at(root, path), value, text));
  }

  /** Whether a number can be one of this type and format. */
  private boolean fits(BigDecimal number, String what) {
    var types = schema.types();
    if (types.size() != 1) {
      return true;
    }
    var type = types.getFirst();
    var format = StringFormats.isKnown(type, schema.format()) ? schema.format() : "";
    boolean fits =
        switch (type) {
          case "integer" ->
              isWithin(number, format.equals("int32") ? Integer.MAX_VALUE : Long.MAX_VALUE);
          case "number" ->
              !format.equals("float") || Math.abs(number.doubleValue()) <= Float.MAX_VALUE;
          default -> true;
        };
    if (!fits) {
      findings.addPlain(
          root,
          "%s value must be of type %s %s in %s"
              .formatted(
                  what,
                  type,
                  format.isEmpty() ? "(default format)" : "with format " + format,
                  path));
    }
    return fits;
  }

  private static boolean isWithin(BigDecimal number, long largest) {
    var limit = BigDecimal.valueOf(largest);
    return number.stripTrailingZeros().scale() <= 0
        && number.compareTo(limit) <= 0
        && number.compareTo(limit.negate().subtract(BigDecimal.ONE)) >= 0;
  }

  static boolean isWhole(double number) {
    return Math.abs(number) <= LARGEST_WHOLE && number == Math.rint(number);
  }

  /** A number as Go prints it. */
  static String printed(double number) {
    double size = Math.abs(number);
    if (size == 0 || (size >= 1e-4 && size < 1e21)) {
      var plain = new BigDecimal(Double.toString(number)).stripTrailingZeros();
      return plain.scale() < 0 ? plain.setScale(0).toPlainString() : plain.toPlainString();
    }
    var digits = new BigDecimal(Double.toString(number)).stripTrailingZeros();
    int exponent = digits.precision() - digits.scale() - 1;
    var mantissa = digits.movePointLeft(exponent).stripTrailingZeros().toPlainString();
    return mantissa + "e" + (exponent < 0 ? "-" : "+") + "%02d".formatted(Math.abs(exponent));
  }
}
