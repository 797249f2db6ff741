package dev.regroup.agent;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON into maps, lists, strings, longs and booleans. Every version of a JobSet reaches every
 * agent with all its templates, so what lies below the keys nobody asks for is skipped without a
 * copy. Numbers that are no integers are skipped too.
 */
final class JsonScan {

  private static final int DEEPEST = 100;

  private final byte[] text;
  private final int end;
  private final Set<String> skipped;
  private int at;

  private JsonScan(byte[] text, int length, Set<String> skipped) {
    this.text = text;
    this.end = length;
    this.skipped = skipped;
  }

  /** The object in the first {@code length} bytes, without the fields called {@code skipped}. */
  static Map<String, @Nullable Object> object(byte[] text, int length, Set<String> skipped)
      throws IOException {
    var scan = new JsonScan(text, length, skipped);
    if (scan.next() != '{') {
      throw scan.wrong("an object");
    }
    return scan.object(0);
  }

  /** What is at the end of these keys; null when any of them is missing. */
  static @Nullable Object at(@Nullable Object tree, String... keys) {
    Object here = tree;
    for (String key : keys) {
      if (!(here instanceof Map<?, ?> map)) {
        return null;
      }
      here = map.get(key);
    }
    return here;
  }

  static String text(@Nullable Object tree, String... keys) {
    return at(tree, keys) instanceof String text ? text : "";
  }

  static List<?> list(@Nullable Object tree, String... keys) {
    return at(tree, keys) instanceof List<?> list ? list : List.of();
  }

  private Map<String, @Nullable Object> object(int depth) throws IOException {
    var fields = new LinkedHashMap<String, @Nullable Object>();
    at++; // the brace
    if (next() == '}') {
      at++;
      return fields;
    }
    while (true) {
      if (next() != '"') {
        throw wrong("a field name");
      }
      String key = string();
      if (next() != ':') {
        throw wrong("\":\"");
      }
      at++;
      if (skipped.contains(key)) {
        skip();
      } else {
        fields.put(key, value(depth + 1));
      }
      int mark = next();
      at++;
      if (mark == '}') {
        return fields;
      }
      if (mark != ',') {
        throw wrong("\",\" or \"}\"");
      }
    }
  }

  private List<@Nullable Object> array(int depth) throws IOException {
    var items = new ArrayList<@Nullable Object>();
    at++; // the bracket
    if (next() == ']') {
      at++;
      return items;
    }
    while (true) {
      items.add(value(depth + 1));
      int mark = next();
      at++;
      if (mark == ']') {
        return items;
      }
      if (mark != ',') {
        throw wrong("\",\" or \"]\"");
      }
    }
  }

  private @Nullable Object value(int depth) throws IOException {
    if (depth > DEEPEST) {
      throw wrong("less depth");
    }
    int mark = next();
    if (mark == '{') {
      return object(depth);
    }
    if (mark == '[') {
      return array(depth);
    }
    if (mark == '"') {
      return string();
    }
    return word();
  }

  /** A number, true, false or null. */
  private @Nullable Object word() throws IOException {
    int begin = at;
    while (at < end && ",]} \t\r\n".indexOf(text[at]) < 0) {
      at++;
    }
    String word = new String(text, begin, at - begin, StandardCharsets.ISO_8859_1);
    if (word.equals("true") || word.equals("false")) {
      return word.equals("true");
    }
    try {
      return word.equals("null") ? null : Long.valueOf(word);
    } catch (NumberFormatException _) {
      if (word.isEmpty()) {
        throw wrong("a value");
      }
      return null; // a fraction: no field of interest is one
    }
  }

  private String string() throws IOException {
    int begin = ++at;
    while (at < end && text[at] != '"' && text[at] != '\\') {
      at++;
    }
    if (at < end && text[at] == '"') {
      return new String(text, begin, at++ - begin, StandardCharsets.UTF_8);
    }
    var spelled = new StringBuilder(plain(begin));
    while (at < end && text[at] != '"') {
      if (text[at] == '\\') {
        at++;
        spelled.append(escaped());
        begin = at;
      } else {
        at++;
      }
      if (at < end && (text[at] == '"' || text[at] == '\\')) {
        spelled.append(plain(begin));
      }
    }
    if (at >= end) {
      throw wrong("the end of a string");
    }
    at++;
    return spelled.toString();
  }

  private String plain(int begin) {
    return new String(text, begin, at - begin, StandardCharsets.UTF_8);
  }

  private char escaped() throws IOException {
    if (at >= end) {
      throw wrong("an escaped character");
    }
    char mark = (char) text[at++];
    return switch (mark) {
      case 'n' -> '\n';
      case 't' -> '\t';
      case 'r' -> '\r';
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'u' -> unit();
      default -> mark;
    };
  }

  private char unit() throws IOException {
    if (at + 4 <= end) {
      String digits = new String(text, at, 4, StandardCharsets.ISO_8859_1);
      at += 4;
      try {
        return (char) Integer.parseInt(digits, 16);
      } catch (NumberFormatException _) {
        // said below
      }
    }
    throw wrong("four digits");
  }

  /** Moves behind the next value; only brackets outside of strings count. */
  private void skip() throws IOException {
    int open = 0;
    do {
      int mark = next();
      if (mark == '"') {
        at++;
        while (at < end && text[at] != '"') {
          at += text[at] == '\\' ? 2 : 1;
        }
        at++;
      } else if (mark == '{' || mark == '[') {
        open++;
        at++;
      } else if (mark == '}' || mark == ']') {
        open--;
        at++;
      } else if (mark == ',' || mark == ':') {
        at++;
      } else {
        var _ = word();
      }
    } while (open > 0);
  }

  private int next() throws IOException {
    while (at < end && text[at] <= ' ') {
      at++;
    }
    if (at >= end) {
      throw wrong("more");
    }
    return text[at];
  }

  private IOException wrong(String expected) {
    return new IOException("not JSON: expected " + expected + " at byte " + at + " of " + end);
  }
}
