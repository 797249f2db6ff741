package dev.regroup.server.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The path of a printer column, in the language that kubectl has for them: {@code .spec.size},
 * {@code .status.conditions[?(@.type=="Ready")].status}, {@code .items[0]}, {@code .items[*].name}.
 * A path that cannot be read finds nothing.
 */
final class ColumnPath {

  /** One step from a node to some of those below it. */
  private sealed interface Step {
    record Key(String name) implements Step {}

    record Item(int index) implements Step {}

    record Items(int from, @Nullable Integer to) implements Step {}

    record All() implements Step {}

    record Where(ColumnPath path, String operator, String value) implements Step {}
  }

  private static final Pattern FILTER =
      Pattern.compile("\\?\\(@(\\.[^=!<>]+?)\\s*(?:(==|!=|<=|>=|<|>)\\s*(.+?))?\\s*\\)");
  private static final Pattern RANGE = Pattern.compile("(-?\\d*):(-?\\d*)");

  private final List<Step> steps;

  private ColumnPath(List<Step> steps) {
    this.steps = List.copyOf(steps);
  }

  /** Empty when it is not in this language. */
  static Optional<ColumnPath> of(String text) {
    var steps = new ArrayList<Step>();
    int at = 0;
    while (at < text.length()) {
      int end;
      if (text.charAt(at) == '[') {
        end = closing(text, at);
        var step = end < 0 ? null : bracket(text.substring(at + 1, end));
        if (step == null) {
          return Optional.empty();
        }
        steps.add(step);
        at = end + 1;
      } else if (text.charAt(at) == '.') {
        end = at + 1;
        while (end < text.length() && ".[".indexOf(text.charAt(end)) < 0) {
          end += text.charAt(end) == '\\' ? 2 : 1;
        }
        var name = text.substring(at + 1, Math.min(end, text.length())).replaceAll("\\\\(.)", "$1");
        if (!name.isEmpty()) {
          steps.add(name.equals("*") ? new Step.All() : new Step.Key(name));
        }
        at = end;
      } else {
        return Optional.empty();
      }
    }
    return Optional.of(new ColumnPath(steps));
  }

  /** The bracket that ends the one here; those in quotes do not count. */
  private static int closing(String text, int open) {
    char quote = 0;
    for (int i = open + 1; i < text.length(); i++) {
      char c = text.charAt(i);
      if (quote != 0) {
        quote = c == quote ? 0 : quote;
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == ']') {
        return i;
      }
    }
    return -1;
  }

  private static @Nullable Step bracket(String text) {
    if (text.equals("*")) {
      return new Step.All();
    }
    if (text.matches("-?\\d{1,9}")) {
      return new Step.Item(Integer.parseInt(text));
    }
    if (isQuoted(text)) {
      return new Step.Key(text.substring(1, text.length() - 1));
    }
    var range = RANGE.matcher(text);
    if (range.matches()) {
      var from = range.group(1);
      var to = range.group(2);
      return new Step.Items(
          from.isEmpty() ? 0 : Integer.parseInt(from), to.isEmpty() ? null : Integer.valueOf(to));
    }
    var filter = FILTER.matcher(text);
    if (!filter.matches()) {
      return null;
    }
    var operator = filter.group(2) == null ? "" : filter.group(2);
    var value = filter.group(3) == null ? "" : filter.group(3);
    return of(filter.group(1))
        .map(path ->
            new Step.Where(
                path, operator, isQuoted(value) ? value.substring(1, value.length() - 1) : value))
        .orElse(null);
  }

  private static boolean isQuoted(String text) {
    return text.length() > 1
        && (text.charAt(0) == '\'' || text.charAt(0) == '"')
        && text.charAt(text.length() - 1) == text.charAt(0);
  }

  /** The first of what it leads to. */
  Optional<JsonNode> first(JsonNode root) {
    List<JsonNode> here = List.of(root);
    for (Step step : steps) {
      var next = new ArrayList<JsonNode>();
      here.forEach(node -> next.addAll(below(node, step)));
      here = next;
    }
    return here.stream().findFirst();
  }

  private static List<JsonNode> below(JsonNode node, Step step) {
    var found = new ArrayList<JsonNode>();
    switch (step) {
      case Step.Key(String name) -> {
        if (node.isObject() && node.has(name)) {
          found.add(node.path(name));
        }
      }
      case Step.Item(int index) -> {
        int at = index < 0 ? node.size() + index : index;
        if (node.isArray() && node.has(at)) {
          found.add(node.path(at));
        }
      }
      case Step.Items(int from, Integer to) -> {
        int size = node.isArray() ? node.size() : 0;
        int end = to == null ? size : to < 0 ? size + to : Math.min(to, size);
        for (int i = Math.max(0, from < 0 ? size + from : from); i < end; i++) {
          found.add(node.path(i));
        }
      }
      case Step.All() -> node.forEach(found::add);
      case Step.Where(ColumnPath path, String operator, String value) ->
          node.forEach(item -> {
            if (path.first(item).map(one -> matches(one, operator, value)).orElse(false)) {
              found.add(item);
            }
          });
    }
    return found;
  }

  private static boolean matches(JsonNode node, String operator, String value) {
    if (operator.isEmpty()) {
      return true;
    }
    int order =
        node.isNumber() && value.matches("-?\\d+(\\.\\d+)?")
            ? Double.compare(node.doubleValue(), Double.parseDouble(value))
            : node.asText().compareTo(value);
    return switch (operator) {
      case "==" -> order == 0;
      case "!=" -> order != 0;
      case "<" -> order < 0;
      case "<=" -> order <= 0;
      case ">" -> order > 0;
      default -> order >= 0;
    };
  }

  /** A value as the text of a cell. */
  static String printed(JsonNode node) {
    return node.isContainerNode() ? node.toString() : node.isNull() ? "<nil>" : node.asText();
  }
}
