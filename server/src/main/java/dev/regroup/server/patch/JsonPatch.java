package dev.regroup.server.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * JSON patch (RFC 6902) with the habits of the library Kubernetes uses: {@code replace} of an
 * absent member adds it, a copy of one adds {@code null}, negative indexes count from the end, what
 * stands before the first slash of a pointer is not looked at, only {@code replace} and {@code
 * test} can name the whole document, and what all copies add together is bounded.
 */
public final class JsonPatch {
  private static final long MOST_COPIED = 3L << 20; // 3 MiB, as Kubernetes

  private static final Set<String> MEMBERS = Set.of("op", "path", "from", "value");

  private long copied;

  private JsonPatch() {}

  /** An operation that cannot be applied. */
  public static final class CannotApply extends Exception {
    CannotApply(String message) {
      super(message, null, false, false);
    }
  }

  /** What a strict reader says of a patch, given the keys that are there twice. */
  public static List<String> problems(ArrayNode operations, List<String> duplicates) {
    var problems = new ArrayList<String>();
    duplicates.forEach(duplicate -> problems.add("json patch " + duplicate));
    for (int i = 0; i < operations.size(); i++) {
      for (var member : operations.get(i).properties()) {
        if (!MEMBERS.contains(member.getKey())) {
          problems.add("json patch unknown field \"[" + i + "]." + member.getKey() + "\"");
        }
      }
    }
    return problems;
  }

  public static JsonNode apply(JsonNode target, ArrayNode operations) throws CannotApply {
    var patch = new JsonPatch();
    var document = target.deepCopy();
    for (var operation : operations) {
      document = patch.applyOne(document, operation);
    }
    return document;
  }

  private JsonNode applyOne(JsonNode document, JsonNode operation) throws CannotApply {
    var kind = operation.path("op").asText();
    if (text(operation, "path").isEmpty()) {
      return whole(document, kind, operation);
    }
    var path = pointer(operation, "path");
    switch (kind) {
      case "add" -> {
        return add(document, path, value(operation));
      }
      case "remove" -> remove(document, path);
      case "replace" -> {
        return replace(document, path, value(operation));
      }
      case "move" -> {
        var moved = remove(document, pointer(operation, "from"));
        return add(document, path, moved);
      }
      case "copy" -> {
        var source = source(document, pointer(operation, "from"));
        count(source);
        return add(document, path, source.deepCopy());
      }
      case "test" -> test(document, path, value(operation));
      default -> throw new CannotApply("Unexpected kind: " + kind);
    }
    return document;
  }

  private static JsonNode whole(JsonNode document, String kind, JsonNode operation)
      throws CannotApply {
    var value = value(operation);
    if (kind.equals("replace") && value.isContainerNode()) {
      return value;
    }
    if (kind.equals("test")) {
      test(document, List.of(), value);
      return document;
    }
    throw new CannotApply(kind + " operation does not apply: the whole document");
  }

  /** What is copied; an object that has no such member gives {@code null}. */
  private static JsonNode source(JsonNode document, List<String> from) throws CannotApply {
    boolean absent =
        parent(document, from) instanceof ObjectNode object && !object.has(from.getLast());
    return absent ? NullNode.getInstance() : find(document, from);
  }

  private void count(JsonNode source) throws CannotApply {
    copied += Wire.write(source).length;
    if (copied > MOST_COPIED) {
      throw new CannotApply(
          "Unable to complete the copy, the accumulated size increase of copy is %d, exceeding the limit %d"
              .formatted(copied, MOST_COPIED));
    }
  }

  private static void test(JsonNode document, List<String> path, JsonNode wanted)
      throws CannotApply {
    var there = lookUp(document, path);
    boolean equal =
        there == null ? wanted.isNull() : there.equals(ObjectEquality.NUMBERS_AS_WRITTEN, wanted);
    if (!equal) {
      throw new CannotApply("testing value /" + String.join("/", path) + " failed");
    }
  }

  private static JsonNode add(JsonNode document, List<String> path, JsonNode value)
      throws CannotApply {
    switch (parent(document, path)) {
      case ObjectNode object -> object.set(path.getLast(), value);
      case ArrayNode array -> {
        if (path.getLast().equals("-")) {
          array.add(value);
        } else {
          array.insert(index(path.getLast(), array.size() + 1), value);
        }
      }
      case JsonNode _ -> throw new CannotApply("add operation does not apply: parent is a value");
    }
    return document;
  }

  private static JsonNode replace(JsonNode document, List<String> path, JsonNode value)
      throws CannotApply {
    switch (parent(document, path)) {
      case ObjectNode object -> object.set(path.getLast(), value);
      case ArrayNode array -> array.set(index(path.getLast(), array.size()), value);
      case JsonNode _ ->
          throw new CannotApply("replace operation does not apply: parent is a value");
    }
    return document;
  }

  private static JsonNode remove(JsonNode document, List<String> path) throws CannotApply {
    var removed =
        switch (parent(document, path)) {
          case ObjectNode object -> object.remove(path.getLast());
          case ArrayNode array -> array.remove(index(path.getLast(), array.size()));
          case JsonNode _ -> null;
        };
    if (removed == null) {
      throw new CannotApply("remove operation does not apply: no /" + String.join("/", path));
    }
    return removed;
  }

  private static JsonNode find(JsonNode document, List<String> path) throws CannotApply {
    var found = lookUp(document, path);
    if (found == null) {
      throw new CannotApply("missing path /" + String.join("/", path));
    }
    return found;
  }

  private static JsonNode parent(JsonNode document, List<String> path) throws CannotApply {
    return find(document, path.subList(0, path.size() - 1));
  }

  private static @Nullable JsonNode lookUp(JsonNode document, List<String> path)
      throws CannotApply {
    JsonNode here = document;
    for (var step : path) {
      JsonNode next =
          switch (here) {
            case ObjectNode object -> object.get(step);
            case ArrayNode array -> array.get(index(step, array.size()));
            case JsonNode _ -> null;
          };
      if (next == null) {
        return null;
      }
      here = next;
    }
    return here;
  }

  private static int index(String text, int limit) throws CannotApply {
    try {
      int index = Integer.parseInt(text);
      int wrapped = index < 0 ? index + limit : index;
      if (wrapped >= 0 && wrapped < limit) {
        return wrapped;
      }
    } catch (NumberFormatException e) {
      throw new CannotApply("invalid array index " + text);
    }
    throw new CannotApply("array index out of bounds: " + text);
  }

  private static JsonNode value(JsonNode operation) {
    var value = operation.get("value");
    return value == null ? NullNode.getInstance() : value.deepCopy();
  }

  /** The steps of a pointer; there is at least one. */
  private static List<String> pointer(JsonNode operation, String field) throws CannotApply {
    var text = text(operation, field);
    int slash = text.indexOf('/');
    if (slash < 0) {
      throw new CannotApply("doc is missing path: " + text);
    }
    var steps = new ArrayList<String>();
    for (var step : text.substring(slash + 1).split("/", -1)) {
      steps.add(step.replace("~1", "/").replace("~0", "~"));
    }
    return steps;
  }

  private static String text(JsonNode operation, String field) throws CannotApply {
    var node = operation.get(field);
    if (node == null || !node.isTextual()) {
      throw new CannotApply("operation has no " + field);
    }
    return node.asText();
  }
}
