package dev.regroup.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.schema.Definition;
import dev.regroup.api.schema.Schema;

/**
 * The fields that a tree says something about: what somebody who applies it comes to own. Items and
 * keys of maps are owned beside what is in them; a structure only when nothing is in it.
 */
final class OwnedFields {
  private final Schema schema;

  private OwnedFields(Schema schema) {
    this.schema = schema;
  }

  static FieldSet of(Schema schema, Definition definition, ObjectNode tree) {
    var set = new FieldSet.Builder();
    new OwnedFields(schema).collect(FieldShape.of(definition), tree, set);
    return set.build();
  }

  private void collect(FieldShape shape, JsonNode value, FieldSet.Builder set) {
    if (shape.isWhole()) {
      set.add();
      return;
    }
    switch (shape) {
      case FieldShape.Scalar _, FieldShape.Anything _ -> set.add();
      case FieldShape.Struct struct -> {
        for (var entry : value.properties()) {
          struct
              .field(schema, entry.getKey())
              .ifPresent(field -> {
                var below = set.child(PathElement.field(entry.getKey()));
                collect(field, entry.getValue(), below);
                if (isNothing(entry.getValue())) {
                  below.add();
                }
              });
        }
      }
      case FieldShape.Entries entries ->
          collect(value, FieldShape.of(schema, entries.values()), set);
      case FieldShape.Free free -> {
        if (value.isObject()) {
          collect(value, free, set);
        } else {
          set.add();
        }
      }
      case FieldShape.Items list -> {
        var items = new ListItems(schema, list);
        var item = items.itemShape();
        items
            .byElement(value)
            .forEach((element, found) -> {
              var below = set.child(element);
              if (found.size() == 1) {
                collect(item, found.getFirst(), below);
              }
              below.add();
            });
      }
    }
  }

  private void collect(JsonNode map, FieldShape values, FieldSet.Builder set) {
    for (var entry : map.properties()) {
      var below = set.child(PathElement.field(entry.getKey()));
      collect(values, entry.getValue(), below);
      below.add();
    }
  }

  private static boolean isNothing(JsonNode value) {
    return value.isNull() || (value.isObject() && value.isEmpty());
  }
}
