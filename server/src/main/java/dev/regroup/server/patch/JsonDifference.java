package dev.regroup.server.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What turns one document into another, as a JSON patch (RFC 6902). Members are compared one by
 * one; of a list the items that both have, then the rest is added at the end or taken from it.
 */
public final class JsonDifference {

  private final ArrayNode operations = JsonNodeFactory.instance.arrayNode();

  private JsonDifference() {}

  /** Empty when both are equal. */
  public static ArrayNode between(JsonNode before, JsonNode after) {
    var difference = new JsonDifference();
    difference.compare("", before, after);
    return difference.operations;
  }

  private void compare(String path, JsonNode before, JsonNode after) {
    if (before.equals(after)) {
      return;
    }
    if (before instanceof ObjectNode one && after instanceof ObjectNode other) {
      members(path, one, other);
    } else if (before instanceof ArrayNode one && after instanceof ArrayNode other) {
      items(path, one, other);
    } else {
      add("replace", path).set("value", after);
    }
  }

  private void members(String path, ObjectNode before, ObjectNode after) {
    before
        .fieldNames()
        .forEachRemaining(name -> {
          if (!after.has(name)) {
            add("remove", below(path, name));
          }
        });
    after
        .properties()
        .forEach(member -> {
          var old = before.get(member.getKey());
          if (old == null) {
            add("add", below(path, member.getKey())).set("value", member.getValue());
          } else {
            compare(below(path, member.getKey()), old, member.getValue());
          }
        });
  }

  private void items(String path, ArrayNode before, ArrayNode after) {
    int both = Math.min(before.size(), after.size());
    for (int i = 0; i < both; i++) {
      compare(path + "/" + i, before.get(i), after.get(i));
    }
    for (int i = before.size() - 1; i >= both; i--) {
      add("remove", path + "/" + i);
    }
    for (int i = both; i < after.size(); i++) {
      add("add", path + "/-").set("value", after.get(i));
    }
  }

  private ObjectNode add(String operation, String path) {
    return operations.addObject().put("op", operation).put("path", path);
  }

  private static String below(String path, String name) {
    return path + "/" + name.replace("~", "~0").replace("/", "~1");
  }
}
