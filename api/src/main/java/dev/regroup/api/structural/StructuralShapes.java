package dev.regroup.api.structural;

import dev.regroup.api.cel.CelShape;
import dev.regroup.api.cel.CelShape.Plain;
import dev.regroup.api.cel.PropertyName;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What rules see of a place in a schema. Fields whose schema says nothing of their type cannot be
 * seen; of an object's metadata rules see its names.
 */
final class StructuralShapes {
  private static final CelShape METADATA =
      structure("metadata", Map.of("name", Plain.STRING, "generateName", Plain.STRING));

  private StructuralShapes() {}

  /**
   * The shape of a place; empty when rules cannot speak of it.
   *
   * @param name of the place, other than that of all others
   * @param object whether it is an object with a type and metadata of its own
   */
  static Optional<CelShape> of(Structural schema, String name, boolean object) {
    if (schema.extensions().intOrString()) {
      return Optional.of(Plain.DYN);
    }
    return switch (schema.type()) {
      case "boolean" -> Optional.of(Plain.BOOL);
      case "integer" -> Optional.of(Plain.INT);
      case "number" -> Optional.of(Plain.DOUBLE);
      case "string" -> Optional.of(text(schema.format()));
      case "array" -> {
        var items = schema.items();
        yield items == null
            ? Optional.empty()
            : of(items, name + ".items", items.extensions().embedded()).map(CelShape.ListOf::new);
      }
      case "object" -> object(schema, name, object);
      default -> Optional.empty();
    };
  }

  private static CelShape text(String format) {
    return switch (format) {
      case "byte" -> Plain.BYTES;
      case "duration" -> Plain.DURATION;
      case "date", "date-time" -> Plain.TIMESTAMP;
      default -> Plain.STRING;
    };
  }

  private static Optional<CelShape> object(Structural schema, String name, boolean object) {
    var others = schema.below().others();
    if (others != null && others.schema() != null) {
      return of(others.schema(), name + ".values", others.schema().extensions().embedded())
          .map(CelShape.MapOf::new);
    }
    var fields = new LinkedHashMap<String, CelShape>();
    schema
        .properties()
        .forEach((key, below) ->
            of(below, name + "." + key, below.extensions().embedded())
                .ifPresent(shape ->
                    PropertyName.spellings(key).forEach(spelt -> fields.put(spelt, shape))));
    if (object) {
      fields.put("apiVersion", Plain.STRING);
      fields.put("kind", Plain.STRING);
      fields.put("metadata", METADATA);
    }
    return Optional.of(structure(name, fields));
  }

  private static CelShape structure(String name, Map<String, CelShape> fields) {
    var all = Map.copyOf(fields);
    return new CelShape.Structure(
        name,
        new CelShape.Fields() {
          @Override
          public Set<String> names() {
            return all.keySet();
          }

          @Override
          public CelShape shape(String field) {
            return all.getOrDefault(field, Plain.DYN);
          }

          @Override
          public String wire(String field) {
            return PropertyName.wire(field);
          }
        });
  }
}
