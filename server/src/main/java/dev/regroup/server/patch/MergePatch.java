package dev.regroup.server.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** JSON merge patch (RFC 7386). */
public final class MergePatch {
  private MergePatch() {}

  public static ObjectNode apply(ObjectNode target, ObjectNode patch) {
    var result = target.deepCopy();
    merge(result, patch);
    return result;
  }

  /**
   * The same for an object of which most is left alone: top-level parts that the patch does not
   * name are those of the target, not copies, and nobody may change them. The metadata is always a
   * copy.
   */
  public static ObjectNode sharing(ObjectNode target, ObjectNode patch) {
    var result = JsonNodeFactory.instance.objectNode();
    for (var part : target.properties()) {
      var name = part.getKey();
      boolean own = name.equals("metadata") || patch.has(name);
      result.set(name, own ? part.getValue().deepCopy() : part.getValue());
    }
    merge(result, patch);
    return result;
  }

  private static void merge(ObjectNode target, ObjectNode patch) {
    for (var field : patch.properties()) {
      var name = field.getKey();
      var value = field.getValue();
      if (value.isNull()) {
        target.remove(name);
      } else if (value instanceof ObjectNode object) {
        target.set(name, merged(target.get(name), object));
      } else {
        target.set(name, value.deepCopy());
      }
    }
  }

  private static JsonNode merged(
      @org.jspecify.annotations.Nullable JsonNode old, ObjectNode patch) {
    var base = old instanceof ObjectNode object ? object : JsonNodeFactory.instance.objectNode();
    merge(base, patch);
    return base;
  }
}
