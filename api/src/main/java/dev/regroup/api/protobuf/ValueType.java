package dev.regroup.api.protobuf;

/** What a field holds, or each item of a list, or each value of a map. */
sealed interface ValueType {

  int VARINT = 0;
  int FIXED64 = 1;
  int LENGTH = 2;
  int GROUP = 3;
  int END_OF_GROUP = 4;
  int FIXED32 = 5;

  /** How it begins on the wire. */
  int wireType();

  /** Plain values. */
  enum Scalar implements ValueType {
    STRING(LENGTH),
    BYTES(LENGTH),
    INT32(VARINT),
    INT64(VARINT),
    BOOL(VARINT),
    DOUBLE(FIXED64);

    private final int wireType;

    Scalar(int wireType) {
      this.wireType = wireType;
    }

    @Override
    public int wireType() {
      return wireType;
    }
  }

  /** A message of the table, by its name. */
  record Nested(String message, JsonForm form) implements ValueType {
    @Override
    public int wireType() {
      return LENGTH;
    }
  }

  /** Reads the type's name in the table. */
  static ValueType named(String name) {
    return switch (name) {
      case "string" -> Scalar.STRING;
      case "bytes" -> Scalar.BYTES;
      case "int32" -> Scalar.INT32;
      case "int64" -> Scalar.INT64;
      case "bool" -> Scalar.BOOL;
      case "double" -> Scalar.DOUBLE;
      default -> new Nested(name, JsonForm.ofMessage(name));
    };
  }
}
