package dev.regroup.api.structural;

import dev.regroup.api.cel.CelSizes;
import dev.regroup.api.cel.PropertyName;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * How large the values of a place in a schema can be: as its limits say, or else as much as fits
 * into the largest request.
 *
 * @param object whether the place is an object with a type and metadata of its own
 */
record StructuralSizes(Structural schema, boolean object) implements CelSizes {
  private static final long REQUEST = 3 << 20; // bytes, 3 MiB
  private static final long QUOTES = 2; // bytes that every text, list and object has around it
  private static final long BYTES_OF_CHARACTER = 4;
  private static final long LONGEST_TIME = 32;
  private static final long DATE = 12;

  @Override
  public OptionalLong most(List<String> path) {
    var place = schema;
    boolean whole = object;
    for (int i = 1; i < path.size(); i++) {
      String step = path.get(i);
      if (step.equals(KEYS)) {
        return OptionalLong.of(0); // as Kubernetes counts them
      }
      var metadata = whole ? ofMetadata(path.subList(i, path.size())) : OptionalLong.empty();
      if (metadata.isPresent()) {
        return metadata;
      }
      var below = below(place, step);
      if (below == null) {
        return OptionalLong.empty();
      }
      place = below;
      whole = below.extensions().embedded();
    }
    return OptionalLong.of(most(place));
  }

  /** What every object has: texts without a limit. */
  private static OptionalLong ofMetadata(List<String> path) {
    return switch (String.join(".", path)) {
      case "metadata" -> OptionalLong.of(0);
      case "apiVersion", "kind", "metadata.name", "metadata.generateName" ->
          OptionalLong.of(REQUEST - QUOTES);
      default -> OptionalLong.empty();
    };
  }

  private static @Nullable Structural below(Structural place, String step) {
    var others = place.below().others();
    return switch (step) {
      case ITEMS -> place.items();
      case VALUES -> others == null ? null : others.schema();
      default -> place.properties().get(PropertyName.wire(step));
    };
  }

  /** How often values of this size fit into a request. */
  static long cardinality(Structural schema, boolean object) {
    return REQUEST / (least(schema, object) + 1);
  }

  private static long most(Structural schema) {
    var limits = schema.limits();
    var length = limits.length().most();
    if (schema.extensions().intOrString()) {
      return length == null ? REQUEST - QUOTES : Math.max(0, length) * BYTES_OF_CHARACTER;
    }
    return switch (schema.type()) {
      case "array" -> {
        var most = limits.items().most();
        var items = schema.items();
        yield most != null || items == null
            ? Math.max(0, most == null ? 0 : most)
            : (REQUEST - QUOTES) / (least(items, items.extensions().embedded()) + 1);
      }
      case "object" -> {
        var others = schema.below().others();
        if (others == null || others.schema() == null) {
          yield 0;
        }
        var most = limits.properties().most();
        var values = others.schema();
        yield most != null
            ? Math.max(0, most)
            : (REQUEST - QUOTES) / (least(values, values.extensions().embedded()) + 6);
      }
      case "string" -> text(schema, length);
      default -> 0;
    };
  }

  private static long text(Structural schema, @Nullable Long length) {
    switch (schema.format()) {
      case "duration", "date-time" -> {
        return LONGEST_TIME;
      }
      case "date" -> {
        return DATE;
      }
      case "byte" -> {
        return length == null ? REQUEST - QUOTES : Math.max(0, length);
      }
      default -> {} // a text like any other
    }
    if (length != null) {
      return Math.max(0, length) * BYTES_OF_CHARACTER;
    }
    return schema.limits().allowed().isEmpty()
        ? REQUEST - QUOTES
        : schema.limits().allowed().stream()
            .mapToLong(value -> value.asText().length())
            .max()
            .orElse(0);
  }

  /** The fewest bytes that a value takes. */
  private static long least(Structural schema, boolean object) {
    if (schema.extensions().intOrString()) {
      return 1;
    }
    return switch (schema.type()) {
      case "boolean" -> 4;
      case "integer", "number" -> 1;
      case "string" ->
          switch (schema.format()) {
            case "duration" -> 3;
            case "date" -> DATE;
            case "date-time" -> 21;
            default -> QUOTES;
          };
      case "object" -> leastObject(schema, object);
      default -> QUOTES;
    };
  }

  private static long leastObject(Structural schema, boolean object) {
    var others = schema.below().others();
    long sum = QUOTES;
    if (others != null && others.schema() != null) {
      return sum;
    }
    for (Map.Entry<String, Structural> field : schema.properties().entrySet()) {
      var below = field.getValue();
      boolean embedded = below.extensions().embedded();
      boolean counts =
          schema.limits().required().contains(field.getKey())
              && below.fallback() == null
              && StructuralShapes.of(below, field.getKey(), embedded).isPresent();
      if (counts) {
        boolean metadata = object && field.getKey().equals("metadata");
        sum += field.getKey().length() + 4 + (metadata ? QUOTES : least(below, embedded));
      }
    }
    return sum;
  }
}
