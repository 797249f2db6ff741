package dev.regroup.api.cel;

import java.util.List;
import java.util.OptionalLong;

/** How large values can be, as a schema bounds them, for {@link CelExpression#mostCost}. */
@FunctionalInterface
public interface CelSizes {
  /** The step into a list. */
  String ITEMS = "@items";

  /** The step to the values of a map. */
  String VALUES = "@values";

  /** The step to the names of a map's values. */
  String KEYS = "@keys";

  /**
   * The most characters, bytes or items; 0 for what has none, nothing where the schema ends.
   *
   * @param path from a variable on: names as expressions spell them, and the steps above
   */
  OptionalLong most(List<String> path);
}
