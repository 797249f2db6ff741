package dev.regroup.api.cel;

import dev.regroup.api.cel.CelShape.Plain;
import dev.regroup.api.schema.Definition;
import dev.regroup.api.schema.Field;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.schema.Schema;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The shapes of built-in kinds, from the schema they are decoded by. */
public final class SchemaShapes {

  private final Schema schema;

  public SchemaShapes(Schema schema) {
    this.schema = schema;
  }

  /** The shape of a kind; empty when the schema has none of it. */
  public Optional<CelShape> kind(GroupVersionKind kind) {
    return schema.kind(kind).map(this::definition);
  }

  private CelShape definition(Definition definition) {
    return definition.isStruct()
        ? new CelShape.Structure(definition.name(), new DefinedFields(this, definition))
        : plain(definition.type(), definition.format());
  }

  private CelShape field(Field field) {
    if (field.ref() != null) {
      return definition(schema.definition(field.ref()));
    }
    if (field.items() != null) {
      return new CelShape.ListOf(field(field.items()));
    }
    if (field.values() != null) {
      return new CelShape.MapOf(field(field.values()));
    }
    return plain(field.type(), field.format());
  }

  private static CelShape plain(@Nullable String type, @Nullable String format) {
    return switch (type == null ? "" : type) {
      case "boolean" -> Plain.BOOL;
      case "integer" -> Plain.INT;
      case "number" -> Plain.DOUBLE;
      case "string" -> text(format);
      default -> Plain.DYN; // a number or a text, or anything
    };
  }

  private static CelShape text(@Nullable String format) {
    return switch (format == null ? "" : format) {
      case "byte" -> Plain.BYTES;
      case "date-time" -> Plain.TIMESTAMP;
      case "int-or-string" -> Plain.DYN;
      default -> Plain.STRING;
    };
  }

  private record DefinedFields(SchemaShapes shapes, Definition definition)
      implements CelShape.Fields {

    @Override
    public Set<String> names() {
      return definition.fields().keySet().stream()
          .flatMap(name -> PropertyName.spellings(name).stream())
          .collect(Collectors.toSet());
    }

    @Override
    public CelShape shape(String name) {
      return definition.field(wire(name)).map(shapes::field).orElse(Plain.DYN);
    }

    @Override
    public String wire(String name) {
      return PropertyName.wire(name);
    }
  }
}
