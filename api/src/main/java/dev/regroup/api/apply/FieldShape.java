package dev.regroup.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.schema.Definition;
import dev.regroup.api.schema.Field;
import dev.regroup.api.schema.Schema;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What ownership of a place in an object means: of the whole, or of each part for itself. */
sealed interface FieldShape {

  /** Whether it is owned as a whole, whatever is in it. */
  boolean isWhole();

  /**
   * One value.
   *
   * @param type of the schema; empty when any will do
   */
  record Scalar(String type) implements FieldShape {
    @Override
    public boolean isWhole() {
      return true;
    }
  }

  /** Any tree; nobody knows what is in it. */
  record Anything() implements FieldShape {
    @Override
    public boolean isWhole() {
      return true;
    }
  }

  /**
   * Any tree of a custom resource, or of a type that says nothing: its maps are owned key by key,
   * as deep as they go.
   */
  record Free() implements FieldShape {
    @Override
    public boolean isWhole() {
      return false;
    }
  }

  /** Named fields. */
  record Struct(Definition definition, boolean isWhole) implements FieldShape {
    Optional<FieldShape> field(Schema schema, String name) {
      return definition
          .field(name)
          .map(field -> field(of(schema, field)))
          .or(() -> definition.isOpen() ? Optional.of(new Free()) : Optional.empty());
    }

    private FieldShape field(FieldShape shape) {
      return shape instanceof Anything && !isBuiltIn(definition) ? new Free() : shape;
    }
  }

  /** Keys chosen by users. */
  record Entries(Field values, boolean isWhole) implements FieldShape {}

  /** A list whose items are known by place (as a whole), by value (no keys) or by keys. */
  record Items(Field item, boolean isWhole, List<String> keys) implements FieldShape {}

  /** Whether Kubernetes itself has the type. */
  static boolean isBuiltIn(Definition definition) {
    return definition.name().startsWith("io.k8s.");
  }

  static FieldShape of(Schema schema, Field field) {
    var ref = field.ref();
    if (ref != null) {
      return of(schema.definition(ref));
    }
    var items = field.items();
    if (field.isList()) {
      return items == null ? new Anything() : list(field, items);
    }
    var values = field.values();
    if (values != null) {
      return new Entries(values, field.atomicMap());
    }
    return scalar(field.type());
  }

  static FieldShape of(Definition definition) {
    if (definition.isStruct()) {
      return new Struct(definition, definition.atomic());
    }
    boolean saysNothing = definition.json().isEmpty(); // such as a schema in a schema
    return saysNothing ? new Free() : scalar(definition.type());
  }

  private static FieldShape scalar(@Nullable String type) {
    return "object".equals(type)
        ? new Anything()
        : new Scalar(Objects.requireNonNullElse(type, ""));
  }

  /** Lists that say nothing else are merged as a strategic patch would merge them. */
  private static Items list(Field field, Field item) {
    return switch (field.listType()) {
      case ATOMIC -> new Items(item, true, List.of());
      case SET -> new Items(item, false, List.of());
      case MAP -> new Items(item, false, field.listMapKeys());
      case UNSET -> {
        var key = field.patchMergeKey();
        yield new Items(item, !field.mergesOnPatch(), key == null ? List.of() : List.of(key));
      }
    };
  }

  /** What a key of a list holds when an item leaves it out. */
  static @Nullable JsonNode keyDefault(Schema schema, Field item, String key) {
    return of(schema, item) instanceof Struct struct
        ? struct.definition().field(key).flatMap(Field::fallback).orElse(null)
        : null;
  }
}
