package dev.regroup.api.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.Document;
import dev.regroup.api.schema.Undecodable;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * One step of a path in its wire form: {@code f:name} a field or the key of a map, {@code k:{...}}
 * an item of a list by its keys, {@code v:...} one by its value, {@code i:0} one by its place.
 */
final class PathElement {
  private static final String FIELD = "f:";
  private static final String KEYS = "k:";
  private static final String VALUE = "v:";
  private static final String PLACE = "i:";

  private PathElement() {}

  static String field(String name) {
    return FIELD + name;
  }

  static String value(JsonNode value) {
    return VALUE + value;
  }

  /** The item with these values of its keys. */
  static String keys(Map<String, JsonNode> keys) {
    ObjectNode json = Wire.object();
    new TreeMap<>(keys).forEach(json::set);
    return KEYS + json;
  }

  static boolean isField(String element) {
    return element.startsWith(FIELD);
  }

  /** The name in an element that is a field. */
  static String name(String element) {
    return element.substring(FIELD.length());
  }

  /** The one spelling of an element that a client wrote. */
  static String canonical(String element) throws BadFields {
    if (element.startsWith(FIELD)) {
      return element;
    }
    var rest = element.length() < 2 ? "" : element.substring(2);
    if (element.startsWith(PLACE)) {
      try {
        return PLACE + Integer.parseInt(rest);
      } catch (NumberFormatException e) {
        throw new BadFields("no place in a list: " + element);
      }
    }
    if (element.startsWith(VALUE)) {
      return value(json(rest));
    }
    if (element.startsWith(KEYS) && json(rest) instanceof ObjectNode keys) {
      return keys(
          keys.propertyStream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    }
    throw new BadFields("no element of a path: " + element);
  }

  /** As Kubernetes prints it in a path. */
  static String text(String element) {
    var rest = element.substring(2);
    return switch (element.substring(0, 2)) {
      case FIELD -> "." + rest;
      case PLACE -> "[" + rest + "]";
      case VALUE -> "[=" + rest + "]";
      default ->
          Wire.tree(rest)
              .propertyStream()
              .map(key -> key.getKey() + "=" + key.getValue())
              .collect(Collectors.joining(",", "[", "]"));
    };
  }

  private static JsonNode json(String text) throws BadFields {
    try {
      return Document.any(text.getBytes(StandardCharsets.UTF_8));
    } catch (Undecodable e) {
      throw new BadFields("no value: " + text);
    }
  }
}
