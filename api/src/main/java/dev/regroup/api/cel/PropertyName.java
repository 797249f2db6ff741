package dev.regroup.api.cel;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How a field is spelt in an expression when its name is no identifier or a word of CEL. */
public final class PropertyName {
  private static final Pattern POSSIBLE = Pattern.compile("[a-zA-Z_][a-zA-Z0-9_./-]*");
  private static final Pattern SPECIAL = Pattern.compile("__|[./-]");
  private static final Pattern ESCAPED = Pattern.compile("__(underscores|dot|dash|slash)__");
  private static final Map<String, String> ESCAPES =
      Map.of("__", "underscores", ".", "dot", "-", "dash", "/", "slash");
  private static final Map<String, String> ORIGINALS =
      Map.of("underscores", "__", "dot", ".", "dash", "-", "slash", "/");
  private static final Set<String> WORDS =
      Set.of(
          "true",
          "false",
          "null",
          "in",
          "as",
          "break",
          "const",
          "continue",
          "else",
          "for",
          "function",
          "if",
          "import",
          "let",
          "loop",
          "package",
          "namespace",
          "return",
          "var",
          "void",
          "while");

  private PropertyName() {}

  /** The spelling in expressions; empty for a name that none can have. */
  public static Optional<String> escape(String wire) {
    if (!POSSIBLE.matcher(wire).matches()) {
      return Optional.empty();
    }
    if (WORDS.contains(wire)) {
      return Optional.of("__" + wire + "__");
    }
    return Optional.of(
        SPECIAL.matcher(wire).replaceAll(found -> "__" + ESCAPES.get(found.group()) + "__"));
  }

  /** All spellings in expressions: a word of CEL can also be written as it is. */
  public static Set<String> spellings(String wire) {
    return escape(wire)
        .map(spelt -> WORDS.contains(wire) ? Set.of(spelt, wire) : Set.of(spelt))
        .orElse(Set.of());
  }

  /** The name of the field that is spelt so. */
  public static String wire(String spelt) {
    if (spelt.length() > 4 && spelt.startsWith("__") && spelt.endsWith("__")) {
      String word = spelt.substring(2, spelt.length() - 2);
      if (WORDS.contains(word)) {
        return word;
      }
    }
    return ESCAPED
        .matcher(spelt)
        .replaceAll(found -> Matcher.quoteReplacement(original(found.group(1))));
  }

  private static String original(String escape) {
    return ORIGINALS.getOrDefault(escape, escape);
  }
}
