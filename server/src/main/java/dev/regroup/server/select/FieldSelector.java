package dev.regroup.server.select;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Comparisons of fields with fixed texts, all of which must hold. */
public record FieldSelector(List<Term> terms) {

  public static final FieldSelector EVERYTHING = new FieldSelector(List.of());

  /** One comparison. */
  public record Term(String field, boolean equal, String value) {}

  public FieldSelector {
    terms = List.copyOf(terms);
  }

  /** Parses the text of a {@code fieldSelector} parameter. */
  public static FieldSelector parse(String text) throws SelectorSyntax {
    var parts = split(text);
    parts.sort(null);
    var terms = new ArrayList<Term>();
    for (var part : parts) {
      if (!part.isEmpty()) {
        terms.add(term(text, part));
      }
    }
    return terms.isEmpty() ? EVERYTHING : new FieldSelector(terms);
  }

  public boolean everything() {
    return terms.isEmpty();
  }

  public boolean matches(Map<String, String> fields) {
    for (var term : terms) {
      if (fields.getOrDefault(term.field(), "").equals(term.value()) != term.equal()) {
        return false;
      }
    }
    return true;
  }

  /** The same for a selector of names and namespaces only. */
  boolean matches(String namespace, String name) {
    for (var term : terms) {
      var value = term.field().equals("metadata.name") ? name : namespace;
      if (value.equals(term.value()) != term.equal()) {
        return false;
      }
    }
    return true;
  }

  /** The value a field must have, when the selector fixes it. */
  public Optional<String> required(String field) {
    return terms.stream()
        .filter(term -> term.equal() && term.field().equals(field))
        .map(Term::value)
        .findFirst();
  }

  private static Term term(String whole, String part) throws SelectorSyntax {
    for (int i = 0; i < part.length(); i++) {
      for (var operator : List.of("!=", "==", "=")) {
        if (part.startsWith(operator, i)) {
          return new Term(
              part.substring(0, i),
              !operator.equals("!="),
              unescape(part.substring(i + operator.length())));
        }
      }
    }
    throw new SelectorSyntax("invalid selector: '" + whole + "'; can't understand '" + part + "'");
  }

  /** Commas separate, unless a backslash stands before them. */
  private static List<String> split(String text) {
    var parts = new ArrayList<String>();
    var part = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\' && i + 1 < text.length()) {
        part.append(c).append(text.charAt(++i));
      } else if (c == ',') {
        parts.add(part.toString());
        part.setLength(0);
      } else {
        part.append(c);
      }
    }
    parts.add(part.toString());
    return parts;
  }

  private static String unescape(String value) throws SelectorSyntax {
    if (value.indexOf('\\') < 0) {
      return value;
    }
    var out = new StringBuilder();
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '\\') {
        if (i + 1 == value.length() || "\\,=".indexOf(value.charAt(i + 1)) < 0) {
          throw new SelectorSyntax(
              "invalid field selector: invalid escape sequence: " + value.substring(i));
        }
        out.append(value.charAt(++i));
      } else {
        out.append(c);
      }
    }
    return out.toString();
  }
}
