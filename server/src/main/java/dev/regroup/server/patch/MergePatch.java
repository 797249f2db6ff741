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
