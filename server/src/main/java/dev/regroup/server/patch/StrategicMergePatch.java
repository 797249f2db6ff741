package dev.regroup.server.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.schema.Definition;
import dev.regroup.api.schema.Field;
import dev.regroup.api.schema.Schema;
import dev.regroup.server.wire.GoText;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Kubernetes' strategic merge patch: a merge patch that knows from the schema which lists are
 * merged by a key or as a set, with directives inside the patch ({@code $patch}, {@code
 * $retainKeys}, {@code $setElementOrder/x}, {@code $deleteFromPrimitiveList/x}).
 *
 * <p>Steps for one object: 1. {@code $patch} replaces or empties it; 2. {@code $retainKeys} drops
 * what is not named; 3. ordered lists are merged and sorted; 4. every other field is merged by its
 * kind. {@link MergedList} does the lists.
 */
public final class StrategicMergePatch {
  static final String PATCH = "$patch";
  static final String RETAIN_KEYS = "$retainKeys";
  static final String DELETE_PRIMITIVES = "$deleteFromPrimitiveList/";
  static final String ELEMENT_ORDER = "$setElementOrder/";

  /** A patch that breaks the rules of patches; the message is what the client is told. */
  public static final class BadPatch extends Exception {
    BadPatch(String message) {
      super(message, null, false, false);
    }
  }

  private final Schema schema;

  public StrategicMergePatch(Schema schema) {
    this.schema = schema;
  }

  /** Returns the patched object; neither argument is changed. */
  public ObjectNode apply(ObjectNode target, ObjectNode patch, Definition type) throws BadPatch {
    return mergeObject(target.deepCopy(), patch.deepCopy(), type);
  }

  ObjectNode mergeObject(ObjectNode target, ObjectNode patch, @Nullable Definition type)
      throws BadPatch {
    var directive = patch.get(PATCH);
    if (directive != null) {
      return switch (directive.asText()) {
        case "replace" -> {
          patch.remove(PATCH);
          yield patch;
        }
        case "delete" -> patch.objectNode();
        default ->
            throw new BadPatch(
                "unknown patch type: " + directive.asText() + " in map: " + GoText.value(patch));
      };
    }
    retainKeys(target, patch);
    orderLists(target, patch, type);
    for (var change : new ArrayList<>(patch.properties())) {
      mergeField(target, change.getKey(), change.getValue(), type);
    }
    return target;
  }

  private static void retainKeys(ObjectNode target, ObjectNode patch) throws BadPatch {
    var directive = patch.remove(RETAIN_KEYS);
    if (directive == null) {
      return;
    }
    Set<String> kept = new HashSet<>();
    directive.forEach(key -> kept.add(key.asText()));
    for (var change : patch.properties()) {
      boolean plain = !change.getKey().startsWith("$");
      if (plain && !change.getValue().isNull() && !kept.contains(change.getKey())) {
        throw new BadPatch("invalid patch format of $retainKeys in patch");
      }
    }
    target.retain(kept);
  }

  /** Lists with an order directive: merged first, then sorted as the directive says. */
  private void orderLists(ObjectNode target, ObjectNode patch, @Nullable Definition type)
      throws BadPatch {
    for (var entry : new ArrayList<>(patch.properties())) {
      if (!entry.getKey().startsWith(ELEMENT_ORDER)) {
        continue;
      }
      var name = entry.getKey().substring(ELEMENT_ORDER.length());
      patch.remove(entry.getKey());
      if (!(entry.getValue() instanceof ArrayNode order)) {
        throw new BadPatch(
            entry.getValue().isTextual()
                ? "expected a []interface {}, but received a string"
                : "invalid patch format of setElementOrder list");
      }
      var lists = new MergedList(this, field(type, name));
      var changes = patch.remove(name);
      if (changes instanceof ArrayNode some && !lists.isOrdered(some, order)) {
        throw new BadPatch(
            "The order in patch list:\n%s\n doesn't match %s list:\n%s\n"
                .formatted(
                    GoText.value(some),
                    ELEMENT_ORDER.substring(0, ELEMENT_ORDER.length() - 1),
                    GoText.value(order)));
      }
      var original = target.get(name);
      if (original instanceof ArrayNode there && changes instanceof ArrayNode some) {
        target.set(name, lists.sortedBy(order, lists.merge(there.deepCopy(), some), there));
      } else if (original instanceof ArrayNode there && changes == null) {
        target.set(name, lists.sortedBy(order, there.deepCopy(), there));
      } else if (changes != null) {
        patch.set(name, changes); // new, or of another type: the general rules know what to do
      }
    }
  }

  private void mergeField(ObjectNode target, String key, JsonNode change, @Nullable Definition type)
      throws BadPatch {
    if (key.startsWith(DELETE_PRIMITIVES)) {
      var name = key.substring(DELETE_PRIMITIVES.length());
      if (target.get(name) instanceof ArrayNode there && change instanceof ArrayNode gone) {
        target.set(name, MergedList.without(there, gone));
      }
      return;
    }
    if (change.isNull()) {
      target.remove(key);
      return;
    }
    var field = field(type, key);
    var original = target.get(key);
    JsonNode result;
    if (original instanceof ObjectNode object && change instanceof ObjectNode changes) {
      boolean replaced = field != null && field.patchStrategy().contains("replace");
      result = replaced ? changes : mergeObject(object, changes, definition(field));
    } else if (original instanceof ArrayNode list && change instanceof ArrayNode changes) {
      var lists = new MergedList(this, field);
      result = lists.merges() ? lists.mergeInPatchOrder(list, changes) : changes;
    } else {
      result = withoutDirectives(change);
    }
    if (result == null) {
      target.remove(key);
    } else {
      target.set(key, result);
    }
  }

  /**
   * What a patch adds where there is nothing to merge with: no directives, no nulls. A map that
   * carries {@code $patch} is dropped as a whole, as Kubernetes does.
   */
  static @Nullable JsonNode withoutDirectives(JsonNode value) {
    if (value instanceof ObjectNode object) {
      if (object.has(PATCH)) {
        return null;
      }
      for (var entry : new ArrayList<>(object.properties())) {
        var clean =
            entry.getKey().startsWith("$") || entry.getValue().isNull()
                ? null
                : withoutDirectives(entry.getValue());
        if (clean == null) {
          object.remove(entry.getKey());
        } else {
          object.set(entry.getKey(), clean);
        }
      }
      return object;
    }
    if (value instanceof ArrayNode list) {
      var clean = list.arrayNode();
      for (var item : list) {
        var kept = withoutDirectives(item);
        if (kept != null) {
          clean.add(kept);
        }
      }
      return clean;
    }
    return value;
  }

  private static @Nullable Field field(@Nullable Definition type, String name) {
    return type == null ? null : type.field(name).orElse(null);
  }

  @Nullable Definition definition(@Nullable Field field) {
    return field == null || field.ref() == null ? null : schema.definition(field.ref());
  }
}
