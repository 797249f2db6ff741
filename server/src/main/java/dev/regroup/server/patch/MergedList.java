package dev.regroup.server.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.schema.Field;
import dev.regroup.server.patch.StrategicMergePatch.BadPatch;
import dev.regroup.server.wire.GoText;
import java.util.ArrayList;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * One list of a strategic merge patch: a list of objects merged by a key, or of plain values merged
 * as a set. Elements of the patch keep the patch's order, the others keep their own, and where both
 * were there before the old order decides.
 */
final class MergedList {
  private final StrategicMergePatch objects;
  private final @Nullable Field field;
  private final @Nullable String mergeKey;

  MergedList(StrategicMergePatch objects, @Nullable Field field) {
    this.objects = objects;
    this.field = field;
    this.mergeKey = field == null ? null : field.patchMergeKey();
  }

  /** Whether the list is merged at all; otherwise a patch replaces it. */
  boolean merges() {
    return field != null && field.mergesOnPatch();
  }

  ArrayNode mergeInPatchOrder(ArrayNode original, ArrayNode patch) throws BadPatch {
    var order = patch.deepCopy();
    return sortedBy(order, merge(original.deepCopy(), patch), original);
  }

  /** The elements of both, without a promise about their order. */
  ArrayNode merge(ArrayNode original, ArrayNode patch) throws BadPatch {
    if (!merges()) {
      return patch;
    }
    if (mergeKey == null) {
      var merged = original.deepCopy();
      patch.forEach(value -> {
        if (indexOf(merged, value) < 0) {
          merged.add(value);
        }
      });
      return merged;
    }
    return mergeByKey(original, patch, mergeKey);
  }

  private ArrayNode mergeByKey(ArrayNode original, ArrayNode patch, String key) throws BadPatch {
    var changes = new ArrayList<ObjectNode>();
    boolean replace = false;
    for (var element : patch) {
      if (!(element instanceof ObjectNode object)) {
        throw new BadPatch("expected map in list, got " + GoText.value(element));
      }
      var directive = object.path(StrategicMergePatch.PATCH).asText("");
      switch (directive) {
        case "" -> changes.add(object);
        case "delete" -> removeMatching(original, key, keyOf(object, key));
        case "replace" -> replace = true;
        case "merge" -> throw new BadPatch("merging lists cannot yet be specified in the patch");
        default ->
            throw new BadPatch(
                "unknown patch type: " + directive + " in map: " + GoText.value(object));
      }
    }
    var merged = replace ? original.arrayNode() : original;
    for (var change : changes) {
      mergeElement(merged, change, key);
    }
    return merged;
  }

  private void mergeElement(ArrayNode merged, ObjectNode change, String key) throws BadPatch {
    var wanted = keyOf(change, key);
    for (int i = 0; i < merged.size(); i++) {
      if (merged.get(i) instanceof ObjectNode there && same(there.get(key), wanted)) {
        merged.set(
            i,
            objects.mergeObject(
                there, change, objects.definition(field == null ? null : field.items())));
        return;
      }
    }
    var added = StrategicMergePatch.withoutDirectives(change);
    if (added != null) {
      merged.add(added);
    }
  }

  /**
   * Puts the elements named by {@code order} into that order and lets the others, which only the
   * server has, keep their places among them.
   */
  ArrayNode sortedBy(ArrayNode order, ArrayNode elements, ArrayNode serverOrder) {
    var named = new ArrayList<JsonNode>();
    var others = new ArrayList<JsonNode>();
    elements.forEach(element -> (indexOf(order, element) >= 0 ? named : others).add(element));
    named.sort(Comparator.comparingInt(element -> indexOf(order, element)));
    others.sort(Comparator.comparingInt(element -> indexOf(serverOrder, element)));
    var sorted = elements.arrayNode();
    int i = 0;
    int j = 0;
    while (i < others.size() || j < named.size()) {
      boolean takeOther = j >= named.size();
      if (!takeOther && i < others.size()) {
        int left = indexOf(serverOrder, others.get(i));
        int right = indexOf(serverOrder, named.get(j));
        takeOther = left >= 0 && right >= 0 && left < right;
      }
      sorted.add(takeOther ? others.get(i++) : named.get(j++));
    }
    return sorted;
  }

  /** Whether the elements that a patch has are in this order, and all of them are part of it. */
  boolean isOrdered(ArrayNode patch, ArrayNode order) {
    if (order.isEmpty()) {
      return true;
    }
    int next = 0;
    for (var element : patch) {
      if (element.path(StrategicMergePatch.PATCH).asText("").equals("delete")) {
        continue;
      }
      var wanted = mergeKey == null ? element : element.get(mergeKey);
      while (next < order.size()) {
        var named = order.get(next);
        if (same(mergeKey == null ? named : named.get(mergeKey), wanted)) {
          break;
        }
        next++;
      }
      if (next++ == order.size()) {
        return false;
      }
    }
    return true;
  }

  static ArrayNode without(ArrayNode list, ArrayNode gone) {
    var kept = list.arrayNode();
    list.forEach(value -> {
      for (var one : gone) {
        if (same(value, one)) {
          return;
        }
      }
      kept.add(value);
    });
    return kept;
  }

  private static void removeMatching(ArrayNode list, String key, JsonNode wanted) {
    for (int i = list.size() - 1; i >= 0; i--) {
      if (same(list.get(i).get(key), wanted)) {
        list.remove(i);
      }
    }
  }

  private static JsonNode keyOf(ObjectNode element, String key) throws BadPatch {
    var value = element.get(key);
    if (value == null) {
      throw new BadPatch(
          "map: " + GoText.value(element) + " does not contain declared merge key: " + key);
    }
    return value;
  }

  private int indexOf(Iterable<JsonNode> list, JsonNode element) {
    var wanted = mergeKey == null ? element : element.get(mergeKey);
    int index = 0;
    for (var candidate : list) {
      if (same(mergeKey == null ? candidate : candidate.get(mergeKey), wanted)) {
        return index;
      }
      index++;
    }
    return -1;
  }

  private static boolean same(@Nullable JsonNode a, @Nullable JsonNode b) {
    if (a == null || b == null) {
      return false;
    }
    return ObjectEquality.NUMBERS_BY_VALUE.compare(a, b) == 0;
  }
}
