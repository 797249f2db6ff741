package dev.regroup.cli.check;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.schema.Definition;
import dev.regroup.api.schema.Field;
import dev.regroup.api.schema.Schema;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Finds where a tree does not have the shape of its kind. Decoding refuses the same things, but
 * like Kubernetes it names the first one only and without list positions; an author wants all of
 * them with their places (VAL-27).
 */
final class Shape {

  private static final BigInteger INT_MIN = BigInteger.valueOf(Integer.MIN_VALUE);
  private static final BigInteger INT_MAX = BigInteger.valueOf(Integer.MAX_VALUE);
  private static final BigInteger LONG_MIN = BigInteger.valueOf(Long.MIN_VALUE);
  private static final BigInteger LONG_MAX = BigInteger.valueOf(Long.MAX_VALUE);

  private static final String QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity";
  private static final String INT_OR_STRING = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";

  static final String UNKNOWN = "unknown field";

  private final Schema schema;
  private final List<Finding> unknown = new ArrayList<>();
  private final List<Finding> wrongTypes = new ArrayList<>();

  Shape(Schema schema, JsonNode tree, Definition definition) {
    this.schema = schema;
    struct(tree, definition, "");
  }

  /** Fields the kind does not have. */
  List<Finding> unknown() {
    return unknown;
  }

  /** Values that cannot be read; nothing more can be said about such an object. */
  List<Finding> wrongTypes() {
    return wrongTypes;
  }

  private void struct(JsonNode tree, Definition definition, String path) {
    for (Map.Entry<String, JsonNode> entry : tree.properties()) {
      String at = path.isEmpty() ? entry.getKey() : path + "." + entry.getKey();
      Field field = definition.fields().get(entry.getKey());
      if (field == null) {
        String hint = NearestName.hint(entry.getKey(), definition.fields().keySet());
        unknown.add(Finding.error(at, UNKNOWN, hint));
      } else {
        value(entry.getValue(), field, at);
      }
    }
  }

  private void value(JsonNode node, Field field, String at) {
    if (node.isNull()) {
      return; // the same as absent
    }
    String ref = field.ref();
    if (ref != null) {
      reference(node, ref, at);
      return;
    }
    Field items = field.items();
    if (field.isList() && items != null) {
      if (is(node.isArray(), node, "a list", at)) {
        for (int i = 0; i < node.size(); i++) {
          value(node.path(i), items, at + "[" + i + "]");
        }
      }
      return;
    }
    Field values = field.values();
    if (values != null) {
      if (is(node.isObject(), node, "a map", at)) {
        node.properties()
            .forEach(entry -> value(entry.getValue(), values, at + "[" + entry.getKey() + "]"));
      }
      return;
    }
    scalar(node, field, at);
  }

  private void reference(JsonNode node, String ref, String at) {
    Definition definition = schema.definition(ref);
    if (definition.isStruct()) {
      if (is(node.isObject(), node, "a map", at)) {
        struct(node, definition, at);
      }
    } else if (ref.equals(QUANTITY) || ref.equals(INT_OR_STRING)) {
      is(node.isTextual() || node.isNumber(), node, "a number or a text", at);
    }
  }

  private void scalar(JsonNode node, Field field, String at) {
    switch (field.type()) {
      case "string" -> is(node.isTextual(), node, "a text" + quoteHint(node), at);
      case "boolean" -> is(node.isBoolean(), node, "true or false", at);
      case "object" -> is(node.isObject(), node, "a map", at);
      case "integer" -> {
        boolean wide = "int64".equals(field.format()) || field.format() == null;
        is(fits(node, wide), node, wide ? "a whole number" : "a 32-bit whole number", at);
      }
      case "number" -> is(node.isNumber(), node, "a number", at);
      case null, default -> {} // holds anything
    }
  }

  private static String quoteHint(JsonNode node) {
    return node.isValueNode() ? " (put it in quotes)" : "";
  }

  private static boolean fits(JsonNode node, boolean wide) {
    if (!node.isIntegralNumber()) {
      return false;
    }
    BigInteger value = node.bigIntegerValue();
    return value.compareTo(wide ? LONG_MIN : INT_MIN) >= 0
        && value.compareTo(wide ? LONG_MAX : INT_MAX) <= 0;
  }

  private boolean is(boolean right, JsonNode node, String wanted, String at) {
    if (!right) {
      wrongTypes.add(Finding.error(at, "must be " + wanted + ", found " + words(node)));
    }
    return right;
  }

  private static String words(JsonNode node) {
    return switch (node.getNodeType()) {
      case ARRAY -> "a list";
      case OBJECT, POJO -> "a map";
      case BOOLEAN -> node.asText();
      case NUMBER -> "the number " + brief(node.asText());
      case STRING, BINARY -> "the text \"" + brief(node.asText()) + "\"";
      case NULL, MISSING -> "nothing";
    };
  }

  private static String brief(String text) {
    return text.length() <= 40 ? text : text.substring(0, 40) + "...";
  }
}
