package dev.regroup.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.schema.Definition;
import dev.regroup.api.schema.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Takes out of an object what somebody applied before, does not apply any more, and nobody else
 * owns. What was never applied stays, unless all around it goes.
 */
final class Pruning {
  private final Schema schema;
  private final Definition definition;
  private final FieldShape root;

  private Pruning(Schema schema, Definition definition) {
    this.schema = schema;
    this.definition = definition;
    this.root = FieldShape.of(definition);
  }

  /**
   * @param merged the object with the new configuration laid over it
   * @param last what the manager applied before
   * @param owned what all managers own now, this one with its new configuration
   */
  static ObjectNode prune(
      Schema schema, Definition definition, ObjectNode merged, FieldSet last, FieldSet owned) {
    if (last.minus(owned).isEmpty()) {
      return merged;
    }
    return new Pruning(schema, definition).prune(merged, last, owned);
  }

  private ObjectNode prune(ObjectNode merged, FieldSet last, FieldSet owned) {
    var before = withStructs(last, root);
    var all = fields(merged);
    // Everything applied before goes, with all below; then what is owned comes back, and at last
    // what went only because it lay below.
    var bare = without(merged, before);
    var kept = without(merged, all.minus(fields(bare).union(withStructs(owned, root))));
    return without(merged, all.minus(fields(kept)).intersection(before));
  }

  private FieldSet fields(ObjectNode tree) {
    return withStructs(OwnedFields.of(schema, definition, tree), root);
  }

  private ObjectNode without(ObjectNode tree, FieldSet gone) {
    return remove(root, tree, gone) instanceof ObjectNode rest
        ? rest
        : JsonNodeFactory.instance.objectNode();
  }

  /** The set and every structure on the way to its members, which a set does not name. */
  private FieldSet withStructs(FieldSet set, FieldShape shape) {
    var builder = new FieldSet.Builder();
    addStructs(set, shape, builder);
    return builder.build();
  }

  private void addStructs(FieldSet set, FieldShape shape, FieldSet.Builder into) {
    set.children()
        .forEach((element, child) -> {
          var below = into.child(element);
          boolean named = shape instanceof FieldShape.Struct && !child.children().isEmpty();
          if (child.isMember() || named) {
            below.add();
          }
          addStructs(child, below(shape, element), below);
        });
  }

  private FieldShape below(FieldShape shape, String element) {
    return switch (shape) {
      case FieldShape.Struct struct when PathElement.isField(element) ->
          struct.field(schema, PathElement.name(element)).orElseGet(FieldShape.Anything::new);
      case FieldShape.Entries entries -> FieldShape.of(schema, entries.values());
      case FieldShape.Items items -> FieldShape.of(schema, items.item());
      case FieldShape.Free free -> free;
      case FieldShape.Struct _, FieldShape.Scalar _, FieldShape.Anything _ ->
          new FieldShape.Anything();
    };
  }

  /** What is left, or null when that is nothing. */
  private @Nullable JsonNode remove(FieldShape shape, JsonNode value, FieldSet gone) {
    if (gone.children().isEmpty()) {
      return value;
    }
    return switch (shape) {
      case FieldShape.Scalar _, FieldShape.Anything _ -> value;
      case FieldShape.Struct _, FieldShape.Entries _, FieldShape.Free _ -> {
        if (!(value instanceof ObjectNode object)) {
          yield value;
        }
        ObjectNode rest = JsonNodeFactory.instance.objectNode();
        object.forEachEntry((name, one) -> {
          var element = PathElement.field(name);
          var child = gone.child(element);
          if (!child.isMember()) {
            var left = remove(below(shape, element), one, child);
            if (left != null) {
              rest.set(name, left);
            }
          }
        });
        yield rest.isEmpty() ? null : rest;
      }
      case FieldShape.Items list -> {
        if (!(value instanceof ArrayNode array)) {
          yield value;
        }
        var items = new ListItems(schema, list);
        ArrayNode rest = JsonNodeFactory.instance.arrayNode();
        for (var item : array) {
          var child = gone.child(items.element(item));
          if (!child.isMember()) {
            var left = remove(items.itemShape(), item, child);
            if (left != null) {
              rest.add(left);
            }
          }
        }
        yield rest.isEmpty() ? null : rest;
      }
    };
  }
}
