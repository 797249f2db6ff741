package dev.regroup.server.select;

import dev.regroup.server.select.LabelSelector.Operator;
import dev.regroup.server.select.LabelSelector.Requirement;
import dev.regroup.server.wire.GoText;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Recursive descent over the grammar of label selectors. It accepts and refuses exactly what
 * Kubernetes does, including oddities such as {@code app in ()}, with the same texts.
 */
final class LabelSelectorParser {

  private enum Kind {
    END,
    COMMA,
    OPEN,
    CLOSE,
    NOT,
    EQUALS,
    DOUBLE_EQUALS,
    NOT_EQUALS,
    GREATER,
    LESS,
    IN,
    NOT_IN,
    IDENTIFIER,
    ERROR
  }

  private record Token(Kind kind, String text) {}

  private static final Pattern NAME = Pattern.compile("([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]");
  private static final Pattern PREFIX =
      Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
  private static final Pattern VALUE =
      Pattern.compile("(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?");
  private static final String NAME_RULE =
      "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end"
          + " with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex"
          + " used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
  private static final String KEY_RULE =
      NAME_RULE.replace("name part must", "a valid label key must")
          + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
  private static final String VALUE_RULE =
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or"
          + " '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or"
          + " 'my_value',  or '12345', regex used for validation is"
          + " '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

  private final List<Token> tokens;
  private int at;

  LabelSelectorParser(String text) {
    this.tokens = scan(text);
  }

  LabelSelector parse() throws SelectorSyntax {
    var requirements = new ArrayList<Requirement>();
    while (true) {
      var token = look();
      switch (token.kind()) {
        case IDENTIFIER, IN, NOT_IN, NOT -> {
          requirements.add(requirementOrExplain());
          if (endsAfterRequirement()) {
            return new LabelSelector(requirements);
          }
        }
        case END -> {
          return new LabelSelector(requirements);
        }
        case COMMA, OPEN, CLOSE, EQUALS, DOUBLE_EQUALS, NOT_EQUALS, GREATER, LESS, ERROR ->
            throw new SelectorSyntax(
                "found '" + token.text() + "', expected: !, identifier, or 'end of string'");
      }
    }
  }

  private boolean endsAfterRequirement() throws SelectorSyntax {
    var token = take();
    if (token.kind() == Kind.END) {
      return true;
    }
    if (token.kind() != Kind.COMMA) {
      throw new SelectorSyntax("found '" + token.text() + "', expected: ',' or 'end of string'");
    }
    var next = look();
    if (!isWord(next) && next.kind() != Kind.NOT) {
      throw new SelectorSyntax("found '" + next.text() + "', expected: identifier after ','");
    }
    return false;
  }

  private Requirement requirementOrExplain() throws SelectorSyntax {
    try {
      return requirement();
    } catch (SelectorSyntax e) {
      throw new SelectorSyntax("unable to parse requirement: " + e.getMessage());
    }
  }

  private Requirement requirement() throws SelectorSyntax {
    boolean negated = look().kind() == Kind.NOT;
    if (negated) {
      take();
    }
    var key = take();
    if (!isWord(key)) {
      throw new SelectorSyntax("found '" + key.text() + "', expected: identifier");
    }
    checkKey(key.text());
    if (negated) {
      return new Requirement(key.text(), Operator.DOES_NOT_EXIST, Set.of());
    }
    if (look().kind() == Kind.END || look().kind() == Kind.COMMA) {
      return new Requirement(key.text(), Operator.EXISTS, Set.of());
    }
    var symbol = take();
    var operator = operator(symbol);
    boolean ofSet = symbol.kind() == Kind.IN || symbol.kind() == Kind.NOT_IN;
    var values = ofSet ? values() : exact();
    if (operator == Operator.GREATER || operator == Operator.LESS) {
      checkNumber(values);
    }
    checkValues(key.text(), values);
    return new Requirement(key.text(), operator, values);
  }

  private static Operator operator(Token token) throws SelectorSyntax {
    return switch (token.kind()) {
      case IN, EQUALS, DOUBLE_EQUALS -> Operator.IN;
      case NOT_IN, NOT_EQUALS -> Operator.NOT_IN;
      case GREATER -> Operator.GREATER;
      case LESS -> Operator.LESS;
      case END, COMMA, OPEN, CLOSE, NOT, IDENTIFIER, ERROR ->
          throw new SelectorSyntax(
              "found '" + token.text() + "', expected: in, notin, =, ==, !=, gt, lt");
    };
  }

  private Set<String> values() throws SelectorSyntax {
    var open = take();
    if (open.kind() != Kind.OPEN) {
      throw new SelectorSyntax("found '" + open.text() + "' expected: '('");
    }
    var first = look();
    if (first.kind() == Kind.CLOSE) {
      take();
      return Set.of("");
    }
    if (!isWord(first) && first.kind() != Kind.COMMA) {
      throw new SelectorSyntax("found '" + first.text() + "', expected: ',', ')' or identifier");
    }
    var values = valueList();
    take(); // the closing one, seen by the list
    return values;
  }

  private Set<String> valueList() throws SelectorSyntax {
    var values = new LinkedHashSet<String>();
    while (true) {
      var token = take();
      if (isWord(token)) {
        values.add(token.text());
        var next = look();
        if (next.kind() == Kind.CLOSE) {
          return values;
        }
        if (next.kind() != Kind.COMMA) {
          throw new SelectorSyntax("found '" + next.text() + "', expected: ',' or ')'");
        }
        continue;
      }
      if (token.kind() != Kind.COMMA) {
        throw new SelectorSyntax("found '" + token.text() + "', expected: ',', or identifier");
      }
      if (values.isEmpty()) {
        values.add("");
      }
      if (look().kind() == Kind.CLOSE) {
        values.add("");
        return values;
      }
      if (look().kind() == Kind.COMMA) {
        take();
        values.add("");
      }
    }
  }

  private Set<String> exact() throws SelectorSyntax {
    var token = look();
    if (token.kind() == Kind.END || token.kind() == Kind.COMMA) {
      return Set.of("");
    }
    take();
    if (!isWord(token)) {
      throw new SelectorSyntax("found '" + token.text() + "', expected: identifier");
    }
    return Set.of(token.text());
  }

  private static void checkNumber(Set<String> values) throws SelectorSyntax {
    var value = values.iterator().next();
    try {
      Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw new SelectorSyntax(
          "values[0]: Invalid value: "
              + GoText.quote(value)
              + ": for 'Gt', 'Lt' operators, the value must be an integer");
    }
  }

  private static void checkKey(String key) throws SelectorSyntax {
    int slash = key.indexOf('/');
    var name = key.substring(slash + 1);
    boolean good =
        name.length() <= 63
            && NAME.matcher(name).matches()
            && (slash < 0 || PREFIX.matcher(key.substring(0, slash)).matches());
    if (!good) {
      var rule = slash == key.lastIndexOf('/') ? NAME_RULE : KEY_RULE;
      throw new SelectorSyntax("<nil>: Invalid value: " + GoText.quote(key) + ": " + rule);
    }
  }

  private static void checkValues(String key, Set<String> values) throws SelectorSyntax {
    for (var value : values) {
      if (value.length() > 63) {
        throw badValue(key, value, "must be no more than 63 bytes");
      }
      if (!VALUE.matcher(value).matches()) {
        throw badValue(key, value, VALUE_RULE);
      }
    }
  }

  private static SelectorSyntax badValue(String key, String value, String rule) {
    return new SelectorSyntax(
        "values[0][" + key + "]: Invalid value: " + GoText.quote(value) + ": " + rule);
  }

  private static boolean isWord(Token token) {
    return switch (token.kind()) {
      case IDENTIFIER, IN, NOT_IN -> true;
      case END, COMMA, OPEN, CLOSE, NOT, EQUALS, DOUBLE_EQUALS, NOT_EQUALS, GREATER, LESS, ERROR ->
          false;
    };
  }

  private Token look() {
    return tokens.get(at);
  }

  private Token take() {
    var token = tokens.get(at);
    if (at < tokens.size() - 1) {
      at++;
    }
    return token;
  }

  private static List<Token> scan(String text) {
    var tokens = new ArrayList<Token>();
    int i = 0;
    while (i < text.length()) {
      char c = text.charAt(i);
      if (isSpace(c)) {
        i++;
      } else if (isSymbol(c)) {
        var symbol = symbol(text, i);
        tokens.add(symbol);
        i += symbol.text().length();
      } else {
        int end = i;
        while (end < text.length() && !isSpace(text.charAt(end)) && !isSymbol(text.charAt(end))) {
          end++;
        }
        var word = text.substring(i, end);
        tokens.add(
            switch (word) {
              case "in" -> new Token(Kind.IN, word);
              case "notin" -> new Token(Kind.NOT_IN, word);
              default -> new Token(Kind.IDENTIFIER, word);
            });
        i = end;
      }
    }
    tokens.add(new Token(Kind.END, ""));
    return tokens;
  }

  private static Token symbol(String text, int i) {
    if (text.startsWith("==", i)) {
      return new Token(Kind.DOUBLE_EQUALS, "==");
    }
    if (text.startsWith("!=", i)) {
      return new Token(Kind.NOT_EQUALS, "!=");
    }
    var one = text.substring(i, i + 1);
    return switch (one) {
      case "=" -> new Token(Kind.EQUALS, one);
      case "!" -> new Token(Kind.NOT, one);
      case "(" -> new Token(Kind.OPEN, one);
      case ")" -> new Token(Kind.CLOSE, one);
      case "," -> new Token(Kind.COMMA, one);
      case ">" -> new Token(Kind.GREATER, one);
      case "<" -> new Token(Kind.LESS, one);
      default -> new Token(Kind.ERROR, one);
    };
  }

  private static boolean isSpace(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
  }

  private static boolean isSymbol(char c) {
    return "=!(),><".indexOf(c) >= 0;
  }
}
