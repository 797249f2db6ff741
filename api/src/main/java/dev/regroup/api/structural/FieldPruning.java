package dev.regroup.api.structural;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Takes out of an object what its schema does not know, and nulls that mean nothing. Type and
 * metadata of the object and of embedded ones are left alone.
 */
public final class FieldPruning {
  static final Set<String> META = Set.of("apiVersion", "kind", "metadata");

  private final List<String> unknown = new ArrayList<>();

  private FieldPruning() {}

  /** Prunes a whole object; returns the paths of what went, sorted. */
  public static List<String> ofObject(ObjectNode object, Structural schema) {
    var pruning = new FieldPruning();
    pruning.prune(object, schema.asEmbedded(), "");
    dropNulls(object, schema);
    Collections.sort(pruning.unknown);
    return pruning.unknown;
  }

  /** Prunes a value in place, such as a default. */
  public static void ofValue(JsonNode value, Structural schema) {
    new FieldPruning().prune(value, schema, "");
  }

  /** In a free place only what is below known fields is pruned; free lists have free items. */
  private void prune(JsonNode value, @Nullable Structural schema, String path) {
    boolean free = schema != null && schema.extensions().preserving();
    prune(value, schema, path, free);
  }

  private void prune(JsonNode value, @Nullable Structural schema, String path, boolean free) {
    if (value instanceof ObjectNode object) {
      for (String key : keys(object)) {
        field(object, key, schema, path, free);
      }
    } else if (value.isArray()) {
      var items = schema == null ? null : schema.items();
      for (int i = 0; i < value.size(); i++) {
        var at = path + "[" + i + "]";
        if (free) {
          prune(value.path(i), items, at, true);
        } else {
          prune(value.path(i), items, at);
        }
      }
    }
  }

  private void field(
      ObjectNode object, String key, @Nullable Structural schema, String path, boolean free) {
    if (schema != null && schema.extensions().embedded() && META.contains(key)) {
      return;
    }
    String at = path.isEmpty() ? key : path + "." + key;
    var own = schema == null ? null : schema.properties().get(key);
    var others = schema == null ? null : schema.below().others();
    if (own != null) {
      prune(object.path(key), own, at);
    } else if (others != null) {
      prune(object.path(key), others.schema(), at);
    } else if (!free) {
      if (!META.contains(key) || !path.isEmpty()) {
        unknown.add(at);
      }
      object.remove(key);
    }
  }

  /** Null where it is not allowed is the same as absent, unless a default takes its place. */
  private static void dropNulls(JsonNode value, @Nullable Structural schema) {
    if (value instanceof ObjectNode object) {
      for (String key : keys(object)) {
        var below = schema == null ? null : schema.at(key).orElse(null);
        boolean drop =
            object.path(key).isNull()
                && below != null
                && !below.nullable()
                && below.fallback() == null;
        if (drop) {
          object.remove(key);
        } else {
          dropNulls(object.path(key), below);
        }
      }
    } else if (value.isArray()) {
      var items = schema == null ? null : schema.items();
      value.forEach(item -> dropNulls(item, items));
    }
  }

  private static List<String> keys(ObjectNode object) {
    return object.propertyStream().map(Map.Entry::getKey).toList();
  }
}
