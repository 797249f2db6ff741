package dev.regroup.runtime.tape;

import java.util.List;

/** An argument of a call on the tape: a number, or the address of something the tape carries. */
public sealed interface Arg {

  Arg NULL = new Value(0, "NULL");

  /** The value itself. */
  record Value(long value, String shown) implements Arg {

    /** Flags combine: {@code MS_BIND.or(MS_REC)} prints as {@code MS_BIND|MS_REC}. */
    public Value or(Value other) {
      return new Value(value | other.value, shown + "|" + other.shown);
    }
  }

  /** Address of a text that ends with a zero byte. */
  record Text(String value) implements Arg {}

  /** Address of bytes: a structure the kernel reads. */
  record Bytes(byte[] value, String shown) implements Arg {}

  /** The same with the address of a word in it, at an offset. */
  record Pointing(byte[] value, int offset, Word word, String shown) implements Arg {}

  /** Address of a {@code struct sock_fprog}: how many instructions, and where they are. */
  record Filter(byte[] program, String shown) implements Arg {
    public static final int INSTRUCTION_BYTES = 8;
  }

  /** Address of texts, ended by a null pointer: arguments or environment of a program. */
  record Texts(List<String> values, Shown shown) implements Arg {
    public enum Shown {
      VALUES,
      /** Environments hold secrets: only how many there are is printed. */
      COUNT
    }

    public Texts {
      values = List.copyOf(values);
    }
  }

  /** Address of a word that calls write and branches read. */
  record Word(int index, String name) implements Arg {}

  /** The size of all words together, known when the tape is complete. */
  record ReportSize() implements Arg {}

  static Arg.Value n(long value) {
    return new Value(value, Long.toString(value));
  }

  static Arg.Value octal(int value) {
    return new Value(value, "0" + Integer.toOctalString(value));
  }

  static Arg.Value flag(String name, long value) {
    return new Value(value, name);
  }

  static Text text(String value) {
    return new Text(value);
  }
}
