package dev.regroup.api.protobuf;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.protobuf.MessageField.Many;
import dev.regroup.api.protobuf.MessageField.Zero;
import dev.regroup.api.protobuf.ValueType.Nested;
import dev.regroup.api.protobuf.ValueType.Scalar;
import dev.regroup.api.schema.Undecodable;
import java.math.BigDecimal;
import java.util.Base64;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Makes trees of messages, as decoding into Go's types and printing those as JSON would: fields
 * that are always printed are there with their zero, fields nobody knows are skipped, a message
 * that comes twice is merged.
 *
 * <p>For one body and one thread. Depth and number of values are bounded, because two bytes can ask
 * for an object with many zeros.
 */
final class MessageReader {

  private static final int DEEPEST = 100;
  private static final int MOST_VALUES = 500_000;
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final Messages messages;
  private int valuesLeft = MOST_VALUES;

  MessageReader(Messages messages) {
    this.messages = messages;
  }

  /** Reads the fields of a message into the tree. */
  void read(WireReader in, Message message, ObjectNode tree) throws Undecodable {
    read(in, message, tree, 0);
  }

  private void read(WireReader in, Message message, ObjectNode tree, int depth) throws Undecodable {
    if (depth > DEEPEST) {
      throw new Undecodable("exceeded max depth");
    }
    while (in.more()) {
      long tag = in.varint();
      int wireType = (int) tag & 7;
      if (wireType == ValueType.END_OF_GROUP) {
        throw new Undecodable(
            "proto: " + message.shortName() + ": wiretype end group for non-group");
      }
      if (tag >>> 3 == 0) {
        throw new Undecodable(
            "proto: %s: illegal tag 0 (wire type %d)".formatted(message.shortName(), wireType));
      }
      MessageField field = message.field(tag >>> 3);
      if (field == null) {
        in.skip(tag);
      } else {
        readField(in, field, wireType, tree, depth);
      }
    }
    for (MessageField field : message.fields()) {
      fillIn(field, tree, depth);
    }
  }

  private void readField(
      WireReader in, MessageField field, int wireType, ObjectNode tree, int depth)
      throws Undecodable {
    int expected = field.many() == Many.MAP ? ValueType.LENGTH : field.type().wireType();
    boolean packed = field.many() == Many.LIST && wireType == ValueType.LENGTH;
    if (wireType != expected && !packed) {
      throw new Undecodable(
          "proto: wrong wireType = %d for field %s".formatted(wireType, goName(field)));
    }
    switch (field.many()) {
      case ONE -> readOne(in, field, tree, depth);
      case LIST -> {
        ArrayNode list = tree.withArrayProperty(field.name());
        if (wireType == expected) {
          list.add(item(in, field.type(), depth));
        } else {
          for (WireReader part = in.message(); part.more(); ) {
            list.add(item(part, field.type(), depth));
          }
        }
      }
      case MAP -> readEntry(in.message(), field, tree.withObjectProperty(field.name()), depth);
    }
  }

  private void readOne(WireReader in, MessageField field, ObjectNode tree, int depth)
      throws Undecodable {
    if (field.type() instanceof Nested(String name, JsonForm form) && form == JsonForm.OBJECT) {
      count();
      ObjectNode inner = field.isInline() ? tree : tree.withObjectProperty(field.name());
      read(in.message(), messages.named(name), inner, depth + 1);
      return;
    }
    JsonNode value = value(in, field.type(), depth);
    if (value == null || (field.zero() == Zero.HIDDEN && isZero(value))) {
      tree.remove(field.name());
    } else {
      tree.set(field.name(), value);
    }
  }

  private void readEntry(WireReader in, MessageField field, ObjectNode map, int depth)
      throws Undecodable {
    var key = "";
    JsonNode value = null;
    while (in.more()) {
      long tag = in.varint();
      if (tag == (1 << 3 | ValueType.LENGTH)) {
        key = in.text();
      } else if (tag == (2 << 3 | field.type().wireType())) {
        value = item(in, field.type(), depth);
      } else {
        in.skip(tag);
      }
    }
    if (value == null) {
      value = zero(field.type(), depth);
    }
    map.set(key, value == null ? JSON.nullNode() : value);
  }

  /** In a list there is always a value. */
  private JsonNode item(WireReader in, ValueType type, int depth) throws Undecodable {
    JsonNode value = value(in, type, depth);
    return value == null ? JSON.nullNode() : value;
  }

  /** Reads a value; null is one that JSON does not have, such as no time. */
  private @Nullable JsonNode value(WireReader in, ValueType type, int depth) throws Undecodable {
    count();
    return switch (type) {
      case Scalar.STRING -> JSON.textNode(in.text());
      case Scalar.BYTES -> JSON.textNode(Base64.getEncoder().encodeToString(in.message().rest()));
      case Scalar.INT32 -> JSON.numberNode((int) in.varint());
      case Scalar.INT64 -> number(in.varint());
      case Scalar.BOOL -> JSON.booleanNode(in.varint() != 0);
      case Scalar.DOUBLE -> fraction(Double.longBitsToDouble(in.fixed64()));
      case Nested nested -> message(in.message(), nested, depth);
    };
  }

  private @Nullable JsonNode message(WireReader in, Nested type, int depth) throws Undecodable {
    ObjectNode fields = JSON.objectNode();
    read(in, messages.named(type.message()), fields, depth + 1);
    return type.form().shown(fields);
  }

  /** Trees of JSON bodies have the smallest type that holds the number; so have these. */
  private static JsonNode number(long value) {
    return value == (int) value ? JSON.numberNode((int) value) : JSON.numberNode(value);
  }

  private static JsonNode fraction(double value) throws Undecodable {
    if (!Double.isFinite(value)) {
      throw new Undecodable("json: unsupported value: " + value);
    }
    return value == (long) value
        ? number((long) value)
        : JSON.numberNode(BigDecimal.valueOf(value));
  }

  /** Adds what is printed although nobody sent it. */
  private void fillIn(MessageField field, ObjectNode tree, int depth) throws Undecodable {
    if (field.many() != Many.ONE || field.zero() != Zero.SHOWN) {
      return;
    }
    if (field.isInline() && field.type() instanceof Nested(String name, JsonForm _)) {
      read(WireReader.nothing(), messages.named(name), tree, depth + 1);
    } else if (!tree.has(field.name())) {
      JsonNode zero = zero(field.type(), depth);
      if (zero != null) {
        count();
        tree.set(field.name(), zero);
      }
    }
  }

  /** What Go prints for a value that was never set; null is nothing. */
  private @Nullable JsonNode zero(ValueType type, int depth) throws Undecodable {
    return switch (type) {
      case Scalar.STRING -> JSON.textNode("");
      case Scalar.BYTES -> null;
      case Scalar.INT32, Scalar.INT64, Scalar.DOUBLE -> JSON.numberNode(0);
      case Scalar.BOOL -> JSON.booleanNode(false);
      case Nested nested ->
          nested.form() == JsonForm.TEXTS ? null : message(WireReader.nothing(), nested, depth);
    };
  }

  private static boolean isZero(JsonNode value) {
    return switch (value.getNodeType()) {
      case STRING -> value.textValue().isEmpty();
      case NUMBER -> value.doubleValue() == 0;
      case BOOLEAN -> !value.booleanValue();
      case ARRAY, BINARY, MISSING, NULL, OBJECT, POJO -> false;
    };
  }

  private void count() throws Undecodable {
    if (--valuesLeft < 0) {
      throw new Undecodable("the object has more than " + MOST_VALUES + " values");
    }
  }

  private static String goName(MessageField field) {
    String name =
        field.type() instanceof Nested(String message, JsonForm _) && field.isInline()
            ? message.substring(message.lastIndexOf('.') + 1)
            : field.name();
    return name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
  }
}
