package dev.regroup.api.protobuf;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The fields of one message, in the order of their numbers. */
record Message(String name, List<MessageField> fields) {

  Message {
    fields = List.copyOf(fields);
  }

  /** Reads the last column of a line of the table. */
  static Message of(String name, String column) {
    var fields = new ArrayList<MessageField>();
    if (!column.isEmpty()) {
      for (String field : column.split(" ", -1)) {
        fields.add(MessageField.of(field));
      }
    }
    return new Message(name, fields);
  }

  /** The field with this number, or null when this message has none. */
  @Nullable MessageField field(long number) {
    int low = 0;
    int high = fields.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      MessageField field = fields.get(middle);
      if (field.number() == number) {
        return field;
      }
      if (field.number() < number) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return null;
  }

  /** What errors call it: {@code core.v1.Pod} is a {@code Pod}. */
  String shortName() {
    return name.substring(name.lastIndexOf('.') + 1);
  }
}
