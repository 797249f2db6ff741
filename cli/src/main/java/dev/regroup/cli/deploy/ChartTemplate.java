package dev.regroup.cli.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.regroup.cli.screen.YamlText;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Renders the few forms of Helm's template language that Regroup's own chart uses: values, {@code
 * if}, {@code else}, {@code range}, {@code eq}, {@code not}, {@code toYaml}, {@code nindent},
 * {@code quote}. Anything else is a mistake in the chart. A test renders the chart with Helm, too,
 * where there is one.
 */
final class ChartTemplate {

  private static final Pattern TAG = Pattern.compile("\\{\\{(-?)\\s*(.*?)\\s*(-?)}}");
  private static final Pattern WORD = Pattern.compile("\\(|\\)|\\||\"[^\"]*\"|[^\\s()|\"]+");

  /** A piece of a template: text, or what stands between braces. */
  private record Piece(String text, boolean tag) {}

  private final List<Piece> pieces;
  private final JsonNode root;
  private int at;

  private ChartTemplate(List<Piece> pieces, JsonNode root) {
    this.pieces = pieces;
    this.root = root;
  }

  /**
   * @param root with {@code Values} and {@code Release}
   */
  static String render(String template, JsonNode root) {
    var page = new ChartTemplate(pieces(template), root);
    var out = new StringBuilder();
    page.block(root, true, out);
    return out.toString();
  }

  /** A dash next to a brace takes the white space beside it away. */
  private static List<Piece> pieces(String template) {
    var pieces = new ArrayList<Piece>();
    var tags = TAG.matcher(template);
    int end = 0;
    boolean trim = false;
    while (tags.find()) {
      var text = template.substring(end, tags.start());
      text = trim ? text.stripLeading() : text;
      pieces.add(new Piece(tags.group(1).isEmpty() ? text : text.stripTrailing(), false));
      pieces.add(new Piece(tags.group(2), true));
      trim = !tags.group(3).isEmpty();
      end = tags.end();
    }
    var rest = template.substring(end);
    pieces.add(new Piece(trim ? rest.stripLeading() : rest, false));
    return pieces;
  }

  /** Renders up to the {@code else} or {@code end} that closes it, and returns that word. */
  private String block(JsonNode dot, boolean shown, StringBuilder out) {
    while (at < pieces.size()) {
      var piece = pieces.get(at++);
      if (!piece.tag()) {
        out.append(shown ? piece.text() : "");
        continue;
      }
      var words = new Words(piece.text());
      switch (words.peek()) {
        case "end", "else" -> {
          return words.peek();
        }
        case "if" -> {
          words.next();
          choice(words, dot, shown, out);
        }
        case "range" -> {
          words.next();
          repeat(shown ? value(words, dot) : MissingNode.getInstance(), dot, out);
        }
        default -> out.append(shown ? text(value(words, dot)) : "");
      }
    }
    return "";
  }

  private void choice(Words words, JsonNode dot, boolean shown, StringBuilder out) {
    boolean yes = shown && isTrue(value(words, dot));
    if (block(dot, yes, out).equals("else")) {
      block(dot, shown && !yes, out);
    }
  }

  private void repeat(JsonNode list, JsonNode dot, StringBuilder out) {
    int start = at;
    if (list.isEmpty()) {
      block(dot, false, out);
    }
    for (JsonNode item : list) {
      at = start;
      block(item, true, out);
    }
  }

  private JsonNode value(Words words, JsonNode dot) {
    JsonNode value = call(words, dot);
    while (words.hasNext() && words.peek().equals("|")) {
      words.next();
      value =
          switch (words.next()) {
            case "quote" -> new TextNode("\"" + text(value) + "\"");
            case "nindent" -> new TextNode(indented(text(value), Integer.parseInt(words.next())));
            case String other -> throw new IllegalArgumentException("unknown function " + other);
          };
    }
    return value;
  }

  private JsonNode call(Words words, JsonNode dot) {
    var word = words.next();
    return switch (word) {
      case "not" -> BooleanNode.valueOf(!isTrue(operand(words, dot)));
      case "eq" -> {
        var one = operand(words, dot);
        yield BooleanNode.valueOf(text(one).equals(text(operand(words, dot))));
      }
      case "toYaml" -> new TextNode(YamlText.of(operand(words, dot)).stripTrailing());
      default -> operand(word, words, dot);
    };
  }

  private JsonNode operand(Words words, JsonNode dot) {
    return operand(words.next(), words, dot);
  }

  private JsonNode operand(String word, Words words, JsonNode dot) {
    if (word.equals("(")) {
      var inner = value(words, dot);
      if (!words.next().equals(")")) {
        throw new IllegalArgumentException("a bracket is not closed");
      }
      return inner;
    }
    if (word.startsWith("\"")) {
      return new TextNode(word.substring(1, word.length() - 1));
    }
    if (word.equals(".")) {
      return dot;
    }
    if (!word.startsWith(".") && !word.startsWith("$.")) {
      throw new IllegalArgumentException("unknown word " + word);
    }
    var here = word.startsWith("$") ? root : dot;
    for (String step : word.substring(word.indexOf('.') + 1).split("\\.", -1)) {
      here = here.path(step);
    }
    return here;
  }

  /** As Helm sees it: what is empty is false. */
  private static boolean isTrue(JsonNode value) {
    return switch (value.getNodeType()) {
      case BOOLEAN -> value.booleanValue();
      case STRING -> !value.textValue().isEmpty();
      case NUMBER -> value.doubleValue() != 0;
      case ARRAY, OBJECT -> !value.isEmpty();
      case NULL, MISSING, BINARY, POJO -> false;
    };
  }

  private static String text(JsonNode value) {
    return value.isValueNode() && !value.isNull() ? value.asText() : "";
  }

  private static String indented(String text, int spaces) {
    var margin = " ".repeat(spaces);
    return "\n" + margin + text.replace("\n", "\n" + margin);
  }

  /** What stands between braces, word by word. */
  private static final class Words {
    private final List<String> words;
    private int next;

    Words(String text) {
      this.words = WORD.matcher(text).results().map(word -> word.group()).toList();
    }

    boolean hasNext() {
      return next < words.size();
    }

    String peek() {
      return hasNext() ? words.get(next) : "";
    }

    String next() {
      if (!hasNext()) {
        throw new IllegalArgumentException("an expression ends too early: " + words);
      }
      return words.get(next++);
    }
  }
}
