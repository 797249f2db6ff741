package dev.regroup.api.protobuf;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.protobuf.MessageField.Zero;
import dev.regroup.api.protobuf.ValueType.Nested;
import dev.regroup.api.protobuf.ValueType.Scalar;
import java.util.Base64;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes messages of trees, byte for byte as Go does: in the order of numbers, maps in the order of
 * their keys, and zeros written where Go's type cannot tell zero from absent. Fields the message
 * does not have are left out.
 *
 * <p>For one body and one thread. The tree must have passed decoding: its values have the types of
 * the schema.
 */
final class MessageWriter {

  private final Messages messages;
  private final WireWriter out;

  MessageWriter(Messages messages, WireWriter out) {
    this.messages = messages;
    this.out = out;
  }

  /** Writes the fields of the tree, last ones first. */
  void write(Message message, ObjectNode tree) {
    var fields = message.fields();
    for (int i = fields.size() - 1; i >= 0; i--) {
      MessageField field = fields.get(i);
      JsonNode value = field.isInline() ? tree : present(tree.get(field.name()));
      switch (field.many()) {
        case ONE -> writeOne(field, value);
        case LIST -> writeList(field, value);
        case MAP -> writeMap(field, value);
      }
    }
  }

  private static @Nullable JsonNode present(@Nullable JsonNode value) {
    return value == null || value.isNull() ? null : value;
  }

  private void writeOne(MessageField field, @Nullable JsonNode value) {
    if (value == null && (field.zero() == Zero.A_VALUE || isNil(field.type()))) {
      return;
    }
    write(field.number(), field.type(), value);
  }

  /** Whether Go's type for it has a nil although it is no pointer. */
  private static boolean isNil(ValueType type) {
    return switch (type) {
      case Scalar scalar -> scalar == Scalar.BYTES;
      case Nested nested -> nested.form() == JsonForm.TEXTS;
    };
  }

  private void writeList(MessageField field, @Nullable JsonNode list) {
    if (list == null) {
      return;
    }
    for (int i = list.size() - 1; i >= 0; i--) {
      write(field.number(), field.type(), present(list.get(i)));
    }
  }

  private void writeMap(MessageField field, @Nullable JsonNode map) {
    if (map == null) {
      return;
    }
    var sorted = new TreeMap<String, JsonNode>(Collections.reverseOrder());
    map.properties().forEach(entry -> sorted.put(entry.getKey(), entry.getValue()));
    for (Map.Entry<String, JsonNode> entry : sorted.entrySet()) {
      int before = out.size();
      write(2, field.type(), present(entry.getValue()));
      out.text(1, entry.getKey());
      out.message(field.number(), before);
    }
  }

  /** Writes a value; null is its type's zero. */
  private void write(int number, ValueType type, @Nullable JsonNode value) {
    switch (type) {
      case Scalar.STRING -> out.text(number, value == null ? "" : value.asText());
      case Scalar.BYTES ->
          out.bytes(number, Base64.getMimeDecoder().decode(value == null ? "" : value.asText()));
      case Scalar.INT32, Scalar.INT64 -> {
        out.varint(value == null ? 0 : value.asLong());
        out.tag(number, ValueType.VARINT);
      }
      case Scalar.BOOL -> {
        out.varint(value != null && value.asBoolean() ? 1 : 0);
        out.tag(number, ValueType.VARINT);
      }
      case Scalar.DOUBLE -> {
        out.fixed64(Double.doubleToLongBits(value == null ? 0 : value.asDouble()));
        out.tag(number, ValueType.FIXED64);
      }
      case Nested(String name, JsonForm form) -> {
        int before = out.size();
        write(messages.named(name), form.fields(value));
        out.message(number, before);
      }
    }
  }
}
