package dev.regroup.api.admission.custom;

import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/** What the rules of a schema can cost, one by one and together, and who is refused for it. */
final class RuleCosts {
  private static final long EACH = 10_000_000;
  private static final long ALL = 100_000_000;
  private static final int NAMED = 4;

  private final boolean stored;
  private final List<Observed> expensive = new ArrayList<>();
  private long total;

  private record Observed(FieldPath path, long cost) {}

  /**
   * @param stored whether single rules are no longer refused
   */
  RuleCosts(boolean stored) {
    this.stored = stored;
  }

  /** Counts one expression. */
  Optional<FieldError> observe(FieldPath path, String what, long cost) {
    total = total > Long.MAX_VALUE - cost ? Long.MAX_VALUE : total + cost;
    if (cost >= ALL / 100) {
      expensive.add(new Observed(path, cost));
    }
    return stored || cost <= EACH
        ? Optional.empty()
        : Optional.of(
            FieldError.forbidden(path, tooMuch("estimated " + what + " cost", cost, EACH)));
  }

  /** When all together are too expensive: those that cost most, and the schema. */
  List<FieldError> ofAll(FieldPath schema) {
    if (total <= ALL) {
      return List.of();
    }
    var errors = new ArrayList<FieldError>();
    expensive.stream()
        .sorted(Comparator.comparingLong(Observed::cost).reversed())
        .limit(NAMED)
        .forEach(one ->
            errors.add(
                FieldError.forbidden(
                    one.path(),
                    "contributed to estimated rule cost total exceeding cost limit for entire"
                        + " OpenAPIv3 schema")));
    errors.add(
        FieldError.forbidden(
            schema,
            tooMuch(
                "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema",
                total,
                ALL)));
    return errors;
  }

  private static String tooMuch(String what, long cost, long limit) {
    double factor = (double) cost / limit;
    String times =
        factor > 100
            ? "more than 100x"
            : String.format(Locale.ROOT, factor < 1.5 ? "%fx" : "%.1fx", factor);
    return what
        + " exceeds budget by factor of "
        + times
        + " (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where"
        + " arrays, maps, and strings are declared)";
  }

  static long product(long a, long b) {
    return Math.multiplyHigh(a, b) != 0 || a * b < 0 ? Long.MAX_VALUE : a * b;
  }

  /** Nothing where one of them has no limit. */
  static OptionalLong product(OptionalLong a, OptionalLong b) {
    return a.isPresent() && b.isPresent()
        ? OptionalLong.of(product(a.getAsLong(), b.getAsLong()))
        : OptionalLong.empty();
  }
}
