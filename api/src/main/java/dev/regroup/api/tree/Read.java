package dev.regroup.api.tree;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Reads values from the tree of an object; what is absent or of another type is absent. */
public final class Read {

  // What the wire can carry; beyond that, adding a duration could leave the calendar.
  private static final Instant FIRST_YEAR = Instant.parse("0001-01-01T00:00:00Z");
  private static final Instant LAST_YEAR = Instant.parse("9999-12-31T23:59:59Z");

  private Read() {}

  /** The node at a path; never null. */
  public static JsonNode at(JsonNode node, String... path) {
    var found = node;
    for (var name : path) {
      found = found.path(name);
    }
    return found;
  }

  public static String text(JsonNode node, String... path) {
    return at(node, path).asText("");
  }

  public static @Nullable String optionalText(JsonNode node, String... path) {
    var found = at(node, path);
    return found.isTextual() ? found.asText() : null;
  }

  public static OptionalInt number(JsonNode node, String... path) {
    var found = at(node, path);
    return found.isIntegralNumber() ? OptionalInt.of(found.asInt()) : OptionalInt.empty();
  }

  public static int number(int otherwise, JsonNode node, String... path) {
    return number(node, path).orElse(otherwise);
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
    var text = optionalText(node, path);
    if (text == null) {
      return null;
    }
    try {
      var time = Instant.parse(text);
      return time.isBefore(FIRST_YEAR) || time.isAfter(LAST_YEAR) ? null : time;
    } catch (DateTimeParseException e) {
      return null;
    }
  }

  public static Map<String, String> texts(JsonNode node, String... path) {
    var found = at(node, path);
    Map<String, String> texts = new LinkedHashMap<>();
    found.properties().forEach(entry -> texts.put(entry.getKey(), entry.getValue().asText("")));
    return texts;
  }

  public static List<String> list(JsonNode node, String... path) {
    var texts = new ArrayList<String>();
    at(node, path).forEach(item -> texts.add(item.asText("")));
    return texts;
  }

  public static List<Integer> numbers(JsonNode node, String... path) {
    var numbers = new ArrayList<Integer>();
    at(node, path).forEach(item -> numbers.add(item.asInt()));
    return numbers;
  }
}
