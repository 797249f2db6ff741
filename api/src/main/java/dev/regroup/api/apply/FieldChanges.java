package dev.regroup.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.schema.Definition;
import dev.regroup.api.schema.Field;
import dev.regroup.api.schema.Schema;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What differs between two trees of one kind.
 *
 * @param changed paths that are new or have another value
 * @param removed paths that are gone
 */
record FieldChanges(FieldSet changed, FieldSet removed) {

  boolean isEmpty() {
    return changed.isEmpty() && removed.isEmpty();
  }

  /** The same, as if nothing had happened at these paths and below. */
  FieldChanges outside(FieldSet ignored) {
    return new FieldChanges(changed.outside(ignored), removed.outside(ignored));
  }

  static FieldChanges between(
      Schema schema, Definition definition, ObjectNode before, ObjectNode after) {
    var walk = new Walk(schema, FieldShape.isBuiltIn(definition));
    var changed = new FieldSet.Builder();
    var removed = new FieldSet.Builder();
    walk.compare(FieldShape.of(definition), before, after, changed, removed);
    return new FieldChanges(changed.build(), removed.build());
  }

  /**
   * Goes down only where the trees differ.
   *
   * @param builtIn Kubernetes' own kinds always have their structures, also empty ones that a tree
   *     leaves out; such a structure does not come and go
   */
  private record Walk(Schema schema, boolean builtIn) {
    private static final ObjectNode NOTHING = JsonNodeFactory.instance.objectNode();

    /** Absent is null; a value that is JSON's null is there. */
    void compare(
        FieldShape shape,
        @Nullable JsonNode before,
        @Nullable JsonNode after,
        FieldSet.Builder changed,
        FieldSet.Builder removed) {
      if (before != null && before.equals(after)) {
        return;
      }
      if (!isWhole(shape, before, after) && !(isEmpty(before) && isEmpty(after))) {
        parts(shape, before, after, changed, removed);
        if (before != null && after != null) {
          return;
        }
      }
      if (after == null) {
        removed.add();
      } else {
        changed.add();
      }
    }

    private static boolean isWhole(
        FieldShape shape, @Nullable JsonNode before, @Nullable JsonNode after) {
      boolean map = (before == null || before.isObject()) && (after == null || after.isObject());
      return shape.isWhole() || (shape instanceof FieldShape.Free && !map);
    }

    private static boolean isEmpty(@Nullable JsonNode value) {
      return value == null || value.isNull() || (value.isContainerNode() && value.isEmpty());
    }

    private void parts(
        FieldShape whole,
        @Nullable JsonNode before,
        @Nullable JsonNode after,
        FieldSet.Builder changed,
        FieldSet.Builder removed) {
      switch (whole) {
        case FieldShape.Scalar _, FieldShape.Anything _ -> {}
        case FieldShape.Struct struct -> {
          for (var name : names(struct.definition(), before, after)) {
            var field = struct.definition().fields().get(name);
            var shape = struct.field(schema, name);
            if (shape.isPresent()) {
              var element = PathElement.field(name);
              step(
                  shape.get(),
                  inStruct(before, struct.definition(), name, field),
                  inStruct(after, struct.definition(), name, field),
                  changed.child(element),
                  removed.child(element));
            }
          }
        }
        case FieldShape.Entries entries ->
            entries(FieldShape.of(schema, entries.values()), before, after, changed, removed);
        case FieldShape.Free free -> entries(free, before, after, changed, removed);
        case FieldShape.Items list -> items(list, before, after, changed, removed);
      }
    }

    private void entries(
        FieldShape values,
        @Nullable JsonNode before,
        @Nullable JsonNode after,
        FieldSet.Builder changed,
        FieldSet.Builder removed) {
      for (var key : names(before, after)) {
        var element = PathElement.field(key);
        step(
            values,
            in(before, key),
            in(after, key),
            changed.child(element),
            removed.child(element));
      }
    }

    private void items(
        FieldShape.Items shape,
        @Nullable JsonNode before,
        @Nullable JsonNode after,
        FieldSet.Builder changed,
        FieldSet.Builder removed) {
      var items = new ListItems(schema, shape);
      var item = items.itemShape();
      var old = items.byElement(before);
      var now = items.byElement(after);
      var all = new LinkedHashSet<>(old.keySet());
      all.addAll(now.keySet());
      for (var element : all) {
        var first = old.getOrDefault(element, List.of());
        var second = now.getOrDefault(element, List.of());
        if (first.size() <= 1 && second.size() <= 1) {
          step(
              item,
              first.isEmpty() ? null : first.getFirst(),
              second.isEmpty() ? null : second.getFirst(),
              changed.child(element),
              removed.child(element));
        } else if (second.isEmpty()) {
          removed.child(element).add();
        } else if (!first.equals(second)) {
          changed.child(element).add();
        }
      }
    }

    private void step(
        FieldShape shape,
        @Nullable JsonNode before,
        @Nullable JsonNode after,
        FieldSet.Builder changed,
        FieldSet.Builder removed) {
      if (before != null || after != null) {
        compare(shape, before, after, changed, removed);
      }
    }

    private static @Nullable JsonNode in(@Nullable JsonNode owner, String name) {
      return owner == null ? null : owner.get(name);
    }

    private @Nullable JsonNode inStruct(
        @Nullable JsonNode owner, Definition definition, String name, @Nullable Field field) {
      if (!(owner instanceof ObjectNode)) {
        return null;
      }
      var value = owner.get(name);
      return value == null && field != null ? standIn(definition, name, field) : value;
    }

    private static Set<String> names(@Nullable JsonNode before, @Nullable JsonNode after) {
      var names = new LinkedHashSet<String>();
      if (before != null) {
        before.fieldNames().forEachRemaining(names::add);
      }
      if (after != null) {
        after.fieldNames().forEachRemaining(names::add);
      }
      return names;
    }

    /** Where only one side is there, what it always has counts too. */
    private Set<String> names(
        Definition definition, @Nullable JsonNode before, @Nullable JsonNode after) {
      var names = names(before, after);
      if (builtIn && before instanceof ObjectNode != after instanceof ObjectNode) {
        definition
            .fields()
            .forEach((name, field) -> {
              if (standIn(definition, name, field) != null) {
                names.add(name);
              }
            });
      }
      return names;
    }

    /**
     * What a structure of Kubernetes' own has in a field that a tree leaves out: fields that are
     * not pointers always have a value, and the schema knows them by their default being zero.
     */
    private @Nullable JsonNode standIn(Definition definition, String name, Field field) {
      if (!builtIn) {
        return null;
      }
      var zero = field.fallback().orElse(null);
      if (zero != null) {
        return isZero(zero) ? (zero.isObject() ? NOTHING : zero) : null;
      }
      boolean always = definition.required().contains(name) || isConditionTime(definition, name);
      return always ? NullNode.getInstance() : null;
    }

    private static boolean isZero(JsonNode value) {
      return switch (value.getNodeType()) {
        case STRING -> value.textValue().isEmpty();
        case NUMBER -> value.decimalValue().signum() == 0;
        case BOOLEAN -> !value.booleanValue();
        case OBJECT, ARRAY -> value.isEmpty();
        case BINARY, MISSING, NULL, POJO -> false;
      };
    }

    /** Times of conditions are values, too; the schema does not say it. */
    private static boolean isConditionTime(Definition definition, String name) {
      return definition.name().endsWith("Condition")
          && name.startsWith("last")
          && name.endsWith("Time");
    }
  }
}
