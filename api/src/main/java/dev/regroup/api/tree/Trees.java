package dev.regroup.api.tree;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Reading and filling trees in which absent, null and a missing parent are the same, and in which a
 * value of the wrong type counts as absent (decoding or the schema has reported it).
 */
public final class Trees {

  // What the wire can carry; beyond that, adding a duration could leave the calendar.
  private static final Instant FIRST_YEAR = Instant.parse("0001-01-01T00:00:00Z");
  private static final Instant LAST_YEAR = Instant.parse("9999-12-31T23:59:59Z");

  private Trees() {}

  /** The text at the path, empty when there is none. */
  public static String text(JsonNode node, String... path) {
    JsonNode found = at(node, path);
    return found.isTextual() ? found.textValue() : "";
  }

  public static Optional<String> textIfPresent(JsonNode node, String... path) {
    JsonNode found = at(node, path);
    return found.isTextual() ? Optional.of(found.textValue()) : Optional.empty();
  }

  public static OptionalLong number(JsonNode node, String... path) {
    JsonNode found = at(node, path);
    return found.isIntegralNumber() ? OptionalLong.of(found.longValue()) : OptionalLong.empty();
  }

  /** A number of 32 bits; a larger one is of another type. */
  public static OptionalInt integer(JsonNode node, String... path) {
    JsonNode found = at(node, path);
    return found.isIntegralNumber() && found.canConvertToInt()
        ? OptionalInt.of(found.intValue())
        : OptionalInt.empty();
  }

  /** The numbers of a list; what is none counts as 0, so that the others keep their places. */
  public static List<Integer> integers(JsonNode node, String... path) {
    var numbers = new ArrayList<Integer>();
    JsonNode list = at(node, path);
    if (list.isArray()) {
      list.forEach(item -> numbers.add(integer(item).orElse(0)));
    }
    return numbers;
  }

  /** A decimal number in a text, such as a label; absent when it is none. */
  public static OptionalInt decimal(@Nullable String text) {
    if (text == null || text.isEmpty() || text.length() > 10) {
      return OptionalInt.empty();
    }
    try {
      int value = Integer.parseInt(text);
      return value < 0 ? OptionalInt.empty() : OptionalInt.of(value);
    } catch (NumberFormatException e) {
      return OptionalInt.empty();
    }
  }

  public static @Nullable Instant time(JsonNode node, String... path) {
    String text = text(node, path);
    if (text.isEmpty()) {
      return null;
    }
    var plain = PlainTime.read(text);
    if (plain != null) {
      return plain;
    }
    try {
      var time = Instant.parse(text);
      return time.isBefore(FIRST_YEAR) || time.isAfter(LAST_YEAR) ? null : time;
    } catch (DateTimeParseException e) {
      return null;
    }
  }

  public static boolean isTrue(JsonNode node, String... path) {
    return at(node, path).booleanValue();
  }

  public static boolean has(JsonNode node, String... path) {
    JsonNode found = at(node, path);
    return !found.isMissingNode() && !found.isNull();
  }

  public static JsonNode at(JsonNode node, String... path) {
    JsonNode found = node;
    for (String step : path) {
      found = found.path(step);
    }
    return found;
  }

  /** The object items of a list; the positions of other items are lost. */
  public static List<ObjectNode> objects(JsonNode node, String... path) {
    var objects = new ArrayList<ObjectNode>();
    if (at(node, path) instanceof ArrayNode list) {
      for (JsonNode item : list) {
        if (item instanceof ObjectNode object) {
          objects.add(object);
        }
      }
    }
    return objects;
  }

  public static List<String> texts(JsonNode node, String... path) {
    var texts = new ArrayList<String>();
    JsonNode list = at(node, path);
    if (list.isArray()) {
      list.forEach(item -> texts.add(item.asText("")));
    }
    return texts;
  }

  /** A map of texts, such as labels, in document order. */
  public static Map<String, String> map(JsonNode node, String... path) {
    var texts = new LinkedHashMap<String, String>();
    at(node, path)
        .properties()
        .forEach(entry -> texts.put(entry.getKey(), entry.getValue().asText("")));
    return texts;
  }

  /** Field names of a map, in document order. */
  public static List<String> keys(JsonNode node, String... path) {
    var keys = new ArrayList<String>();
    at(node, path).fieldNames().forEachRemaining(keys::add);
    return keys;
  }

  public static Optional<ObjectNode> object(JsonNode node, String... path) {
    return at(node, path) instanceof ObjectNode object ? Optional.of(object) : Optional.empty();
  }

  /** The object in this field, made if there is none. */
  public static ObjectNode child(ObjectNode node, String field) {
    return node.get(field) instanceof ObjectNode object ? object : node.putObject(field);
  }

  public static ArrayNode list(ObjectNode node, String field) {
    return node.get(field) instanceof ArrayNode array ? array : node.putArray(field);
  }

  /** Sets a text where there is none or an empty one. */
  public static void fill(ObjectNode node, String field, String value) {
    if (!has(node, field) || (node.path(field).isTextual() && text(node, field).isEmpty())) {
      node.put(field, value);
    }
  }

  public static void fill(ObjectNode node, String field, long value) {
    if (!has(node, field)) {
      putNumber(node, field, value);
    }
  }

  /** Numbers as the parser makes them, so that trees compare equal. */
  public static void putNumber(ObjectNode node, String field, long value) {
    if (value == (int) value) {
      node.put(field, (int) value);
    } else {
      node.put(field, value);
    }
  }

  public static void fill(ObjectNode node, String field, boolean value) {
    if (!has(node, field)) {
      node.put(field, value);
    }
  }

  /** Whether both are absent or both hold the same. */
  public static boolean same(JsonNode a, JsonNode b) {
    boolean noA = a.isMissingNode() || a.isNull();
    boolean noB = b.isMissingNode() || b.isNull();
    return (noA || noB) ? noA == noB : a.equals(b);
  }

  /** A copy of the value from one tree to another; absent there means absent here. */
  public static void carry(ObjectNode from, ObjectNode to, String field) {
    if (has(from, field)) {
      to.set(field, from.path(field).deepCopy());
    } else {
      to.remove(field);
    }
  }
}
