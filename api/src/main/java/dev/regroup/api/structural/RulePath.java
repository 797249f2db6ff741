package dev.regroup.api.structural;

import dev.regroup.api.admission.field.FieldPath;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A path inside of a schema as rules and selectable fields write it: {@code .spec.size}, and where
 * brackets are allowed {@code .labels['a.b']}.
 *
 * @param schema of what it leads to; null when it leads nowhere
 * @param problem why it leads nowhere; empty when it does
 */
public record RulePath(FieldPath path, @Nullable Structural schema, String problem) {

  private static final String NOWHERE = "does not refer to a valid field";

  /** Whether keys may be written in brackets. */
  public enum Brackets {
    ALLOWED,
    REFUSED
  }

  public static RulePath of(String text, Structural schema, Brackets brackets) {
    var here = new RulePath(FieldPath.ROOT, schema, "");
    var tokens = tokens(text);
    for (int i = 0; i < tokens.size(); ) {
      switch (tokens.get(i)) {
        case "." -> {
          if (i + 1 >= tokens.size()) {
            return here.failed("unexpected end of JSON path");
          }
          here = here.into(tokens.get(i + 1));
          i += 2;
        }
        case "[" -> {
          if (brackets == Brackets.REFUSED) {
            return here.failed("array notation is not allowed");
          }
          var problem = bracketProblem(tokens, i);
          if (!problem.isEmpty()) {
            return here.failed(problem);
          }
          var key = tokens.get(i + 1);
          here = here.into(key.substring(1, key.length() - 1).replaceAll("\\\\(.)", "$1"));
          i += 3;
        }
        default -> {
          return here.failed("expected [ or . but got: " + tokens.get(i));
        }
      }
      if (!here.problem().isEmpty()) {
        return here;
      }
    }
    return here;
  }

  private static String bracketProblem(List<String> tokens, int at) {
    if (at + 2 >= tokens.size()) {
      return "unexpected end of JSON path";
    }
    var key = tokens.get(at + 1);
    if (key.length() < 2 || !key.startsWith("'") || !key.endsWith("'")) {
      return "expected single quoted string but got " + key;
    }
    return tokens.get(at + 2).equals("]") ? "" : "expected ] but got " + tokens.get(at + 2);
  }

  private RulePath into(String name) {
    if (schema == null) {
      return failed(NOWHERE);
    }
    var own = schema.properties().get(name);
    if (own != null) {
      return new RulePath(path.field(name), own, "");
    }
    var others = schema.below().others();
    return !schema.properties().isEmpty() || others == null
        ? failed(NOWHERE)
        : new RulePath(path.key(name), others.schema(), "");
  }

  private RulePath failed(String why) {
    return new RulePath(path, null, why);
  }

  private static List<String> tokens(String text) {
    var tokens = new ArrayList<String>();
    int start = 0;
    while (start < text.length()) {
      int end = start + 1;
      char first = text.charAt(start);
      if (first == '\'') {
        while (end < text.length() && (text.charAt(end) != '\'' || text.charAt(end - 1) == '\\')) {
          end++;
        }
        end = Math.min(end + 1, text.length());
      } else if (".[]".indexOf(first) < 0) {
        while (end < text.length() && ".[]".indexOf(text.charAt(end)) < 0) {
          end++;
        }
      }
      tokens.add(text.substring(start, end));
      start = end;
    }
    return tokens;
  }
}
