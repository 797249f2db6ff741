package dev.regroup.api.cel;

import static dev.cel.common.types.SimpleType.INT;
import static dev.cel.common.types.SimpleType.STRING;

import com.google.common.primitives.UnsignedLong;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.TypeType;
import dev.cel.common.values.CelByteString;
import dev.cel.common.values.NullValue;
import dev.cel.runtime.CelEvaluationException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * {@code find}, {@code findAll}, {@code replace}, {@code join} and {@code format} of texts. A
 * result may not grow beyond what a request could have brought.
 */
final class TextFunctions {
  private static final int LONGEST = 4 * 1024 * 1024;
  private static final CelType TEXTS = ListType.create(STRING);

  private static final String SMALL_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

  private TextFunctions() {}

  static FunctionTable table() {
    return new FunctionTable()
        .member(
            "find",
            "string_find_string",
            STRING,
            List.of(STRING, STRING),
            args -> {
              var found = pattern(args[1]).matcher((String) args[0]);
              return found.find() ? found.group() : "";
            })
        .member(
            "findAll",
            "string_find_all_string",
            TEXTS,
            List.of(STRING, STRING),
            args -> findAll((String) args[0], pattern(args[1]), -1))
        .member(
            "findAll",
            "string_find_all_string_int",
            TEXTS,
            List.of(STRING, STRING, INT),
            args -> findAll((String) args[0], pattern(args[1]), (Long) args[2]))
        .member(
            "replace",
            "string_replace_string_string",
            STRING,
            List.of(STRING, STRING, STRING),
            args -> replace((String) args[0], (String) args[1], (String) args[2], -1))
        .member(
            "replace",
            "string_replace_string_string_int",
            STRING,
            List.of(STRING, STRING, STRING, INT),
            args -> replace((String) args[0], (String) args[1], (String) args[2], (Long) args[3]))
        .member("join", "list_join", STRING, List.of(TEXTS), args -> join((List<?>) args[0], ""))
        .member(
            "join",
            "list_join_string",
            STRING,
            List.of(TEXTS, STRING),
            args -> join((List<?>) args[0], (String) args[1]))
        .member(
            "format",
            "string_format_list",
            STRING,
            List.of(STRING, ListType.create(SimpleType.DYN)),
            args -> format((String) args[0], (List<?>) args[1]));
  }

  private static Pattern pattern(Object text) throws CelEvaluationException {
    try {
      return Pattern.compile((String) text);
    } catch (PatternSyntaxException e) {
      throw new CelEvaluationException("Illegal regex: " + e.getMessage(), e);
    }
  }

  private static List<String> findAll(String text, Pattern pattern, long most) {
    var all = new ArrayList<String>();
    var found = pattern.matcher(text);
    while ((most < 0 || all.size() < most) && found.find()) {
      all.add(found.group());
    }
    return all;
  }

  private static String replace(String text, String from, String to, long most)
      throws CelEvaluationException {
    var result = new StringBuilder();
    int at = 0;
    for (long done = 0; most < 0 || done < most; done++) {
      int next = text.indexOf(from, at + (from.isEmpty() && done > 0 ? 1 : 0));
      boolean beyond = next < 0 || (from.isEmpty() && done > text.length());
      if (beyond) {
        break;
      }
      append(result, text.substring(at, next));
      append(result, to);
      at = next + from.length();
    }
    return append(result, text.substring(Math.min(at, text.length()))).toString();
  }

  private static String join(List<?> texts, String between) throws CelEvaluationException {
    var result = new StringBuilder();
    for (int i = 0; i < texts.size(); i++) {
      if (!(texts.get(i) instanceof String text)) {
        throw new CelEvaluationException("no such overload");
      }
      append(result, i == 0 ? "" : between);
      append(result, text);
    }
    return result.toString();
  }

  private static StringBuilder append(StringBuilder to, String text) throws CelEvaluationException {
    if (to.length() + text.length() > LONGEST) {
      throw new CelEvaluationException(CelBudget.SPENT);
    }
    return to.append(text);
  }

  /** {@code %s %d %f %e %b %x %X %o %%}, with a precision where the number has one. */
  private static String format(String pattern, List<?> values) throws CelEvaluationException {
    var result = new StringBuilder();
    int next = 0;
    for (int i = 0; i < pattern.length(); i++) {
      char c = pattern.charAt(i);
      if (c != '%') {
        result.append(c);
        continue;
      }
      if (++i == pattern.length()) {
        throw new CelEvaluationException("unexpected end of string");
      }
      if (pattern.charAt(i) == '%') {
        result.append('%');
        continue;
      }
      int precision = -1;
      if (pattern.charAt(i) == '.') {
        int start = ++i;
        while (i < pattern.length() && Character.isDigit(pattern.charAt(i)) && i - start < 4) {
          i++;
        }
        if (i == start || i == pattern.length()) {
          throw new CelEvaluationException("error while parsing precision");
        }
        precision = Math.min(1_000, Integer.parseInt(pattern.substring(start, i)));
      }
      if (next == values.size()) {
        throw new CelEvaluationException("index " + next + " out of range");
      }
      append(result, one(pattern.charAt(i), precision, values.get(next++)));
    }
    return result.toString();
  }

  private static String one(char verb, int precision, Object value) throws CelEvaluationException {
    return switch (verb) {
      case 's' -> string(printable(value));
      case 'd' -> decimal(value);
      case 'f' ->
          new BigDecimal(String.valueOf(number(value)))
              .setScale(precision < 0 ? 6 : precision, RoundingMode.HALF_EVEN)
              .toPlainString();
      case 'e' -> exponential(number(value), precision < 0 ? 6 : precision);
      case 'b' -> value instanceof Boolean bool ? (bool ? "1" : "0") : radix(value, 2);
      case 'o' -> radix(value, 8);
      case 'x' -> hex(value);
      case 'X' -> hex(value).toUpperCase(java.util.Locale.ROOT);
      default ->
          throw new CelEvaluationException(
              "could not parse formatting clause: unrecognized formatting clause \"" + verb + "\"");
    };
  }

  /** As a printer of tables would write it: ten to the power of small digits. */
  private static String exponential(double number, int precision) {
    var text = String.format(Locale.ROOT, "%." + precision + "e", number);
    int at = text.indexOf('e');
    var power = new StringBuilder();
    for (char c : text.substring(at + 1).toCharArray()) {
      if (c != '+') {
        power.append(c == '-' ? '⁻' : SMALL_DIGITS.charAt(c - '0'));
      }
    }
    return text.substring(0, at) + "×10" + power;
  }

  /** Values of other types, such as quantities, have no text. */
  private static Object printable(Object value) throws CelEvaluationException {
    switch (value) {
      case List<?> list -> {
        for (Object item : list) {
          var _ = printable(item);
        }
      }
      case Map<?, ?> map -> {
        for (Object item : map.values()) {
          var _ = printable(item);
        }
      }
      case NullValue _,
          CelByteString _,
          String _,
          Boolean _,
          Number _,
          Instant _,
          Duration _,
          TypeType _ -> {}
      default -> throw wrongType(value);
    }
    return value;
  }

  private static double number(Object value) throws CelEvaluationException {
    if (value instanceof Number number && Double.isFinite(number.doubleValue())) {
      return number.doubleValue();
    }
    throw wrongType(value);
  }

  private static String decimal(Object value) throws CelEvaluationException {
    if (value instanceof Long || value instanceof UnsignedLong) {
      return value.toString();
    }
    throw wrongType(value);
  }

  private static String radix(Object value, int radix) throws CelEvaluationException {
    return switch (value) {
      case Long number -> Long.toString(number, radix);
      case UnsignedLong number -> number.toString(radix);
      default -> throw wrongType(value);
    };
  }

  private static String hex(Object value) throws CelEvaluationException {
    return switch (value) {
      case String text -> java.util.HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
      case CelByteString bytes -> java.util.HexFormat.of().formatHex(bytes.toByteArray());
      default -> radix(value, 16);
    };
  }

  private static CelEvaluationException wrongType(Object value) {
    return new CelEvaluationException(
        "error during formatting: unexpected value of class " + value.getClass().getSimpleName());
  }

  /** Inside of a list or a map, where a text is told from what it looks like. */
  private static String part(Object value) {
    return switch (value) {
      case String text -> '"' + text + '"';
      case CelByteString bytes -> "b\"" + string(bytes) + '"';
      case Instant time -> "timestamp(\"" + string(time) + "\")";
      case Duration time -> "duration(\"" + string(time) + "\")";
      case Double number -> String.format(Locale.ROOT, "%f", number);
      default -> string(value);
    };
  }

  private static String string(Object value) {
    return switch (value) {
      case NullValue _ -> "null";
      case CelByteString bytes -> new String(bytes.toByteArray(), StandardCharsets.UTF_8);
      case Instant time -> time.toString();
      case Duration time ->
          BigDecimal.valueOf(time.getSeconds())
                  .add(BigDecimal.valueOf(time.getNano(), 9))
                  .stripTrailingZeros()
                  .toPlainString()
              + "s";
      case Double number when number == Math.rint(number) && Math.abs(number) < 1e15 ->
          Long.toString(number.longValue());
      case List<?> list ->
          list.stream().map(TextFunctions::part).collect(Collectors.joining(", ", "[", "]"));
      case Map<?, ?> map -> {
        var sorted = new TreeMap<String, String>();
        map.forEach((key, one) -> sorted.put(part(key), part(one)));
        yield sorted.entrySet().stream()
            .map(entry -> entry.getKey() + ":" + entry.getValue())
            .collect(Collectors.joining(", ", "{", "}"));
      }
      case TypeType type -> type.containingTypeName();
      default -> String.valueOf(value);
    };
  }
}
