package dev.regroup.node.env;

import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Replaces references of the form {@code $(NAME)}. A reference to an unknown name stays as it is,
 * {@code $$} is one dollar sign, so {@code $$(NAME)} is never replaced.
 */
public final class Expansion {

  private Expansion() {}

  public static List<String> expandAll(List<String> texts, Map<String, String> values) {
    return texts.stream().map(text -> expand(text, values)).toList();
  }

  public static String expand(String text, Map<String, String> values) {
    return expand(text, name -> values.getOrDefault(name, "$(" + name + ")"));
  }

  /** The same, where somebody else says what stands for a name. */
  public static String expand(String text, UnaryOperator<String> values) {
    if (text.indexOf('$') < 0) {
      return text;
    }
    var out = new StringBuilder(text.length() + 16);
    int at = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c != '$' || at + 1 == text.length()) {
        out.append(c);
        at++;
        continue;
      }
      char next = text.charAt(at + 1);
      if (next == '(') {
        at = reference(text, at, values, out);
      } else if (next == '$') {
        out.append('$');
        at += 2;
      } else {
        out.append(c).append(next);
        at += 2;
      }
    }
    return out.toString();
  }

  /** Writes the value of the reference that begins at the dollar sign; returns where to go on. */
  private static int reference(
      String text, int dollar, UnaryOperator<String> values, StringBuilder out) {
    int end = text.indexOf(')', dollar + 2);
    if (end < 0) {
      out.append("$("); // never closed: an ordinary text
      return dollar + 2;
    }
    out.append(values.apply(text.substring(dollar + 2, end)));
    return end + 1;
  }
}
