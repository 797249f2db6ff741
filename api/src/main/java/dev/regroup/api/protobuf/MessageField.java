package dev.regroup.api.protobuf;

/**
 * One field of a message.
 *
 * @param name in JSON; empty when the fields of the message stand beside those of its owner
 */
record MessageField(int number, String name, ValueType type, Many many, Zero zero) {

  /** How often the value may come. */
  enum Many {
    ONE,
    LIST,
    /** By text. */
    MAP
  }

  /** What a field with its zero value means: false, 0, the empty text, an empty message. */
  enum Zero {
    /** The field is always written as protobuf, and in JSON too. */
    SHOWN,
    /** The field is always written as protobuf, but not in JSON when it is zero. */
    HIDDEN,
    /** A zero is a value like any other; absent is something else. */
    A_VALUE
  }

  boolean isInline() {
    return name.isEmpty();
  }

  /** Reads {@code 4:immutable:bool?}. */
  static MessageField of(String text) {
    int name = text.indexOf(':') + 1;
    int type = text.indexOf(':', name) + 1;
    Zero zero =
        switch (text.charAt(text.length() - 1)) {
          case '?' -> Zero.A_VALUE;
          case '~' -> Zero.HIDDEN;
          default -> Zero.SHOWN;
        };
    Many many =
        switch (text.charAt(type)) {
          case '*' -> Many.LIST;
          case '%' -> Many.MAP;
          default -> Many.ONE;
        };
    String typeName =
        text.substring(
            many == Many.ONE ? type : type + 1,
            zero == Zero.SHOWN ? text.length() : text.length() - 1);
    return new MessageField(
        Integer.parseInt(text.substring(0, name - 1)),
        text.substring(name, type - 1),
        ValueType.named(typeName),
        many,
        zero);
  }
}
