package dev.regroup.api.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Decoding;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Makes one tree fit one definition, as decoding into a typed structure and encoding again would:
 * unknown fields go (and are named), nulls and empty lists go, quantities and times get their
 * canonical text, a wrong type ends it.
 *
 * <p>A JobSet is a custom resource: its types are judged later by its schema (422), so here only
 * its unknown fields go. That schema knows nothing of metadata, which {@link Decoder} reads first.
 */
final class Conformer {

  private static final BigInteger INT_MIN = BigInteger.valueOf(Integer.MIN_VALUE);
  private static final BigInteger INT_MAX = BigInteger.valueOf(Integer.MAX_VALUE);
  private static final BigInteger LONG_MIN = BigInteger.valueOf(Long.MIN_VALUE);
  private static final BigInteger LONG_MAX = BigInteger.valueOf(Long.MAX_VALUE);

  private static final String QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity";
  private static final String INT_OR_STRING = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";
  private static final String TIME = "io.k8s.apimachinery.pkg.apis.meta.v1.Time";
  private static final String MICRO_TIME = "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime";

  /** Kubernetes reads them itself and is silent about fields it does not know. */
  private static final Set<String> INNER_SCHEMAS =
      Set.of("JSONSchemaPropsOrArray", "JSONSchemaPropsOrBool", "JSONSchemaPropsOrStringArray");

  private static final String BASE64 =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

  /** Plain values that are not written when they are false, 0 or empty; all others are pointers. */
  private static final Set<String> ZERO_IS_ABSENT =
      Set.of(
          "hostNetwork",
          "hostPID",
          "hostIPC",
          "stdin",
          "stdinOnce",
          "tty",
          "readOnly",
          "unschedulable",
          "publishNotReadyAddresses",
          "initialDelaySeconds",
          "hostPort",
          "nodePort",
          "hostname",
          "subdomain",
          "nodeName",
          "serviceAccountName",
          "serviceAccount",
          "schedulerName",
          "priorityClassName",
          "workingDir",
          "generateName",
          "active",
          "succeeded",
          "failed",
          "completedIndexes");

  private final Schema schema;
  private final boolean typed;
  private final GroupVersionKind kindOf;
  private final String kind;
  private final List<String> problems;

  Conformer(Schema schema, GroupVersionKind kind, List<String> problems) {
    this.schema = schema;
    this.typed = !isCustom(kind);
    this.kindOf = kind;
    this.kind = kind.kind();
    this.problems = problems;
  }

  /** Whether a schema of its own judges the types of its fields later. */
  static boolean isCustom(GroupVersionKind kind) {
    return kind.group().equals("jobset.x-k8s.io");
  }

  void conform(ObjectNode tree, Definition definition) throws Undecodable {
    struct(tree, definition, "");
  }

  private void struct(ObjectNode tree, Definition definition, String path) throws Undecodable {
    for (String name : List.copyOf(names(tree))) {
      String at = path.isEmpty() ? name : path + "." + name;
      Field field = definition.fields().get(name);
      if (field == null) {
        problems.add(unknown(at));
        tree.remove(name);
        continue;
      }
      JsonNode value = value(tree.path(name), field, at);
      if (value == null || (typed && isAbsent(name, value, field, definition))) {
        tree.remove(name);
      } else {
        tree.set(name, value);
      }
    }
  }

  private static boolean isAbsent(String name, JsonNode value, Field field, Definition owner) {
    if (owner.required().contains(name)) {
      return false;
    }
    if (field.isList() || field.values() != null) {
      return value.isEmpty() && !name.equals("managedFields"); // empty books clear the stored ones
    }
    return ZERO_IS_ABSENT.contains(name) && isZero(value);
  }

  private static boolean isZero(JsonNode value) {
    return switch (value.getNodeType()) {
      case BOOLEAN -> !value.booleanValue();
      case NUMBER -> value.decimalValue().signum() == 0;
      case STRING -> value.textValue().isEmpty();
      case ARRAY, BINARY, MISSING, NULL, OBJECT, POJO -> false;
    };
  }

  /** The value in canonical form, or null when it is the same as absent. */
  private @Nullable JsonNode value(JsonNode node, Field field, String at) throws Undecodable {
    if (node.isNull()) {
      return null;
    }
    String ref = field.ref();
    if (ref != null) {
      return reference(node, ref, at);
    }
    if (field.isList()) {
      return list(node, field, at);
    }
    Field values = field.values();
    if (values != null) {
      return map(node, values, at);
    }
    return typed ? scalar(node, field, at) : node;
  }

  private JsonNode reference(JsonNode node, String ref, String at) throws Undecodable {
    Definition definition = schema.definition(ref);
    if (definition.isStruct()) {
      if (node instanceof ObjectNode object) {
        struct(object, definition, at);
      } else if (typed) {
        throw mismatch(node, at, ref.substring(ref.lastIndexOf('.') + 1));
      }
      return node;
    }
    if (!typed) {
      return node;
    }
    return switch (ref) {
      case QUANTITY -> quantity(node, at);
      case INT_OR_STRING -> {
        if (!node.isTextual()) {
          integer(node, "int32", at);
        }
        yield node;
      }
      case TIME -> time(node, at, "2006-01-02T15:04:05Z07:00", Times::seconds);
      case MICRO_TIME -> time(node, at, "2006-01-02T15:04:05.000000Z07:00", Times::micros);
      default -> {
        if (INNER_SCHEMAS.contains(ref.substring(ref.lastIndexOf('.') + 1))) {
          innerSchema(node, ref.substring(0, ref.lastIndexOf('.') + 1) + "JSONSchemaProps", at);
        }
        yield node; // any shape
      }
    };
  }

  private void innerSchema(JsonNode node, String definition, String at) throws Undecodable {
    var silent = new Conformer(schema, kindOf, new ArrayList<>());
    if (node instanceof ObjectNode object) {
      silent.struct(object, schema.definition(definition), at);
    }
    for (JsonNode one : node.isArray() ? node : JsonNodeFactory.instance.arrayNode()) {
      silent.innerSchema(one, definition, at);
    }
  }

  private JsonNode list(JsonNode node, Field field, String at) throws Undecodable {
    Field items = field.items();
    if (!(node instanceof ArrayNode array) || items == null) {
      if (typed) {
        throw mismatch(node, at, "[]" + (items == null ? "" : items.type()));
      }
      return node;
    }
    for (int i = 0; i < array.size(); i++) {
      JsonNode item = value(array.path(i), items, at + "[" + i + "]");
      array.set(i, item == null ? zero(items) : item);
    }
    return array;
  }

  private JsonNode map(JsonNode node, Field values, String at) throws Undecodable {
    if (!(node instanceof ObjectNode object)) {
      if (typed) {
        throw mismatch(node, at, "map[string]" + values.type());
      }
      return node;
    }
    for (Map.Entry<String, JsonNode> entry : object.properties()) {
      JsonNode value = value(entry.getValue(), values, at + "." + entry.getKey());
      entry.setValue(value == null ? zero(values) : value);
    }
    return object;
  }

  /** What a Go program holds where a list or a map has a null. */
  private static JsonNode zero(Field field) {
    var nodes = JsonNodeFactory.instance;
    if (field.isList()) {
      return nodes.arrayNode();
    }
    if (QUANTITY.equals(field.ref())) {
      return nodes.textNode("0");
    }
    if (INT_OR_STRING.equals(field.ref())) {
      return nodes.numberNode(0);
    }
    return switch (field.type()) {
      case "string" -> nodes.textNode("");
      case "integer", "number" -> nodes.numberNode(0);
      case "boolean" -> nodes.booleanNode(false);
      case null, default -> nodes.objectNode();
    };
  }

  private JsonNode scalar(JsonNode node, Field field, String at) throws Undecodable {
    switch (field.type()) {
      case "string" -> {
        if (!node.isTextual()) {
          throw mismatch(node, at, "string");
        }
        if ("byte".equals(field.format())) {
          checkBase64(node.textValue());
        }
      }
      case "boolean" -> {
        if (!node.isBoolean()) {
          throw mismatch(node, at, "bool");
        }
      }
      case "integer" -> integer(node, field.format(), at);
      case "number" -> {
        if (!node.isNumber()) {
          throw mismatch(node, at, "float64");
        }
      }
      case "object" -> {
        if (!node.isObject()) {
          throw mismatch(node, at, "object");
        }
      }
      case null, default -> {} // a raw value
    }
    return node;
  }

  private void integer(JsonNode node, @Nullable String format, String at) throws Undecodable {
    String type = format == null ? "int64" : format;
    if (!node.isNumber()) {
      throw mismatch(node, at, type);
    }
    boolean small = type.equals("int32");
    boolean fits =
        node.isIntegralNumber()
            && node.bigIntegerValue().compareTo(small ? INT_MIN : LONG_MIN) >= 0
            && node.bigIntegerValue().compareTo(small ? INT_MAX : LONG_MAX) <= 0;
    if (!fits) {
      throw new Undecodable(unmarshal("number " + node.asText(), at, type));
    }
  }

  private JsonNode quantity(JsonNode node, String at) throws Undecodable {
    if (!node.isTextual() && !node.isNumber()) {
      throw mismatch(node, at, "resource.Quantity");
    }
    return switch (Quantity.parse(node.asText())) {
      case Quantity.Parsed.Good(Quantity quantity) ->
          JsonNodeFactory.instance.textNode(quantity.toString());
      case Quantity.Parsed.Bad(String message) -> throw new Undecodable(message);
    };
  }

  private JsonNode time(
      JsonNode node, String at, String layout, Function<Instant, String> canonical)
      throws Undecodable {
    if (!node.isTextual()) {
      throw mismatch(node, at, "string");
    }
    String text = node.textValue();
    // Kubernetes wants exactly six digits; a lenient server also reads what other clocks print.
    boolean micros = layout.contains(".000000");
    if (micros && schema.decoding() == Decoding.STRICT && !Times.isMicros(text)) {
      throw new Undecodable(Times.complaint(text, layout));
    }
    return Times.parse(text)
        .map(canonical)
        .map(JsonNodeFactory.instance::textNode)
        .orElseThrow(() -> new Undecodable(Times.complaint(text, layout)));
  }

  private static void checkBase64(String text) throws Undecodable {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean known = BASE64.indexOf(c) >= 0;
      boolean padding = c == '=' && i >= text.length() - 2 && i % 4 >= 2;
      if (!known && !padding) {
        throw new Undecodable("illegal base64 data at input byte " + i);
      }
    }
    try {
      byte[] _ = Base64.getDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      throw new Undecodable("illegal base64 data at input byte " + text.length() / 4 * 4);
    }
    if (text.length() % 4 != 0) {
      throw new Undecodable("illegal base64 data at input byte " + text.length() / 4 * 4);
    }
  }

  private Undecodable mismatch(JsonNode node, String at, String type) {
    return new Undecodable(unmarshal(Decoder.jsonType(node), at, type));
  }

  private String unmarshal(String found, String at, String type) {
    String plain = at.replaceAll("\\[\\d+]", "");
    return "json: cannot unmarshal %s into Go struct field %s.%s of type %s"
        .formatted(found, kind, plain, type);
  }

  private static List<String> names(ObjectNode tree) {
    return tree.propertyStream().map(Map.Entry::getKey).toList();
  }

  static String unknown(String path) {
    return "unknown field \"" + path + "\"";
  }
}
