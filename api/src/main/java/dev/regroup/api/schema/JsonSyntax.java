package dev.regroup.api.schema;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Says where a text stops being JSON, in the words clients know from Kubernetes' own server. It is
 * asked only about texts that could not be read, and remembers nothing.
 */
final class JsonSyntax {

  private static final String END = "unexpected end of JSON input";
  private static final String VALUE = "looking for beginning of value";
  private static final String KEY = "looking for beginning of object key string";

  private final byte[] json;
  private int at;

  private JsonSyntax(byte[] json) {
    this.json = json;
  }

  /** The first thing that is wrong; null when every character stands where it may. */
  static @Nullable String problem(byte[] json) {
    try {
      new JsonSyntax(json).document();
      return null;
    } catch (Wrong e) {
      return e.getMessage();
    }
  }

  private static final class Wrong extends Exception {
    private Wrong(String message) {
      super(message, null, false, false);
    }
  }

  private enum Inside {
    OBJECT,
    ARRAY
  }

  /** One loop, not one call per level: a text may be as deep as it is long. */
  private void document() throws Wrong {
    Deque<Inside> open = new ArrayDeque<>();
    while (true) {
      begin(open);
      if (end(open)) {
        return;
      }
    }
  }

  /** Reads to the end of one scalar or of one empty map or list, opening all around it. */
  private void begin(Deque<Inside> open) throws Wrong {
    while (true) {
      switch (next(VALUE)) {
        case '{' -> {
          at++;
          if (next(KEY) == '}') {
            at++;
            return;
          }
          key();
          open.push(Inside.OBJECT);
        }
        case '[' -> {
          at++;
          if (next(VALUE) == ']') {
            at++;
            return;
          }
          open.push(Inside.ARRAY);
        }
        case '"' -> {
          text();
          return;
        }
        case 't' -> {
          literal("true");
          return;
        }
        case 'f' -> {
          literal("false");
          return;
        }
        case 'n' -> {
          literal("null");
          return;
        }
        case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9' -> {
          number();
          return;
        }
        default -> throw wrong(VALUE);
      }
    }
  }

  /** Closes what ends here; true when that was all. */
  private boolean end(Deque<Inside> open) throws Wrong {
    while (!open.isEmpty()) {
      boolean object = open.peek() == Inside.OBJECT;
      String place = object ? "after object key:value pair" : "after array element";
      char c = next(place);
      at++;
      if (c == ',') {
        if (object) {
          next(KEY);
          key();
        }
        return false;
      }
      if (c != (object ? '}' : ']')) {
        at--;
        throw wrong(place);
      }
      open.pop();
    }
    skipSpace();
    if (at < json.length) {
      throw wrong("after top-level value");
    }
    return true;
  }

  private void key() throws Wrong {
    if (json[at] != '"') {
      throw wrong(KEY);
    }
    text();
    if (next("after object key") != ':') {
      throw wrong("after object key");
    }
    at++;
  }

  private void text() throws Wrong {
    at++;
    while (true) {
      char c = here();
      if (c == '"') {
        at++;
        return;
      }
      if (c < ' ') {
        throw wrong("in string literal");
      }
      at++;
      if (c == '\\') {
        escape();
      }
    }
  }

  private void escape() throws Wrong {
    char c = here();
    if ("bfnrt\\/\"u".indexOf(c) < 0) {
      throw wrong("in string escape code");
    }
    at++;
    for (int i = 0; c == 'u' && i < 4; i++) {
      if (Character.digit(here(), 16) < 0) {
        throw wrong("in \\u hexadecimal character escape");
      }
      at++;
    }
  }

  private void literal(String word) throws Wrong {
    for (int i = 0; i < word.length(); i++) {
      if (here() != word.charAt(i)) {
        throw wrong("in literal %s (expecting '%c')".formatted(word, word.charAt(i)));
      }
      at++;
    }
  }

  private void number() throws Wrong {
    if (here() == '-') {
      at++;
      if (!isDigit(here())) {
        throw wrong("in numeric literal");
      }
    }
    if (here() == '0') {
      at++;
    } else {
      digits();
    }
    if (at < json.length && json[at] == '.') {
      at++;
      someDigits("after decimal point in numeric literal");
    }
    if (at < json.length && (json[at] == 'e' || json[at] == 'E')) {
      at++;
      if (here() == '+' || here() == '-') {
        at++;
      }
      someDigits("in exponent of numeric literal");
    }
  }

  private void someDigits(String place) throws Wrong {
    if (!isDigit(here())) {
      throw wrong(place);
    }
    digits();
  }

  private void digits() {
    while (at < json.length && isDigit((char) json[at])) {
      at++;
    }
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** The next character that is no space. */
  private char next(String place) throws Wrong {
    skipSpace();
    if (at >= json.length) {
      throw new Wrong(END);
    }
    char c = here();
    if (c >= 0x80) {
      throw wrong(place);
    }
    return c;
  }

  private char here() throws Wrong {
    if (at >= json.length) {
      throw new Wrong(END);
    }
    return (char) (json[at] & 0xFF);
  }

  private void skipSpace() {
    while (at < json.length && " \t\r\n".indexOf(json[at]) >= 0) {
      at++;
    }
  }

  private Wrong wrong(String place) {
    char c = (char) (json[at] & 0xFF);
    String shown =
        switch (c) {
          case '\'' -> "\\'";
          case '\\' -> "\\\\";
          case '\n' -> "\\n";
          case '\r' -> "\\r";
          case '\t' -> "\\t";
          default -> c < ' ' || c == 0x7F ? "\\x%02x".formatted((int) c) : String.valueOf(c);
        };
    return new Wrong("invalid character '" + shown + "' " + place);
  }
}
