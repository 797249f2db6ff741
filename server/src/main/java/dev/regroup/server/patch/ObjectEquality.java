package dev.regroup.server.patch;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Comparator;

/** Equality of JSON where 1 and 1.0, or an int and a long, are the same number. */
final class ObjectEquality {
  static final Comparator<JsonNode> NUMBERS_BY_VALUE =
      (a, b) -> {
        if (a.equals(b)) {
          return 0;
        }
        boolean bothNumbers = a.isNumber() && b.isNumber();
        return bothNumbers && a.decimalValue().compareTo(b.decimalValue()) == 0 ? 0 : 1;
      };

  /** As texts in JSON: 5 and 5.0 differ. */
  static final Comparator<JsonNode> NUMBERS_AS_WRITTEN =
      (a, b) -> {
        boolean bothWhole = a.isIntegralNumber() && b.isIntegralNumber();
        return bothWhole ? a.bigIntegerValue().compareTo(b.bigIntegerValue()) : a.equals(b) ? 0 : 1;
      };

  private ObjectEquality() {}
}
