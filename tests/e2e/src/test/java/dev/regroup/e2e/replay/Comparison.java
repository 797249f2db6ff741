package dev.regroup.e2e.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

/** The differences between a recorded outcome and what came now, as a person wants to read them. */
final class Comparison {

  private final Normaliser names;

  Comparison(Normaliser names) {
    this.names = names;
  }

  List<String> compare(JsonNode step, JsonNode want, JsonNode got) {
    var out = new ArrayList<String>();
    String mode = step.path("compare").asText("exact");
    var ignored = ignored(step);
    if (want.path("status").asInt() != got.path("status").asInt()) {
      out.add(
          "status: expected %s, got %s (%s)"
              .formatted(
                  want.path("status"),
                  got.path("status"),
                  got.path("body").path("message").asText("")));
    }
    if (mode.equals("status")) {
      return out;
    }
    for (String header : List.of("content-type", "warning")) {
      if (!ignored.contains("headers") && !ignored.contains("headers." + header)) {
        header(header, want.path("headers").path(header), got.path("headers").path(header), out);
      }
    }
    var paths = ignored.stream().filter(path -> path.startsWith("$")).toList();
    for (String part : List.of("body", "facts", "events", "ends")) {
      if (want.has(part) || got.has(part)) {
        part(part, mode, paths, want.path(part).deepCopy(), got.path(part).deepCopy(), out);
      }
    }
    return out;
  }

  static List<String> ignored(JsonNode step) {
    return StreamSupport.stream(step.path("ignore").spliterator(), false)
        .map(entry -> entry.isObject() ? entry.path("path").asText() : entry.asText())
        .toList();
  }

  private void header(String name, JsonNode want, JsonNode got, List<String> out) {
    boolean alike = want.isTextual() && got.isTextual() && squeezed(want).equals(squeezed(got));
    if (!alike && !(absent(want) && absent(got))) {
      differences("headers." + name, want, got, false, out);
    }
  }

  private static String squeezed(JsonNode text) {
    return text.asText().replace(" ", "").toLowerCase(Locale.ROOT);
  }

  private void part(
      String part, String mode, List<String> paths, JsonNode want, JsonNode got, List<String> out) {
    if (part.equals("body") && mode.equals("matches")) {
      if (!Pattern.compile(want.asText(), Pattern.DOTALL).matcher(got.asText()).matches()) {
        out.add("$: expected to match %s, got %s".formatted(want, got));
      }
      return;
    }
    if (part.equals("events") && mode.equals("sequence")) {
      sequence(want, got, out);
      return;
    }
    JsonNode left = want;
    JsonNode right = got;
    if (part.equals("body")) {
      JsonPath.remove(left, paths);
      JsonPath.remove(right, paths);
      if (mode.equals("columns")) {
        left = columns(left);
        right = columns(right);
      }
    }
    if (part.equals("events")) {
      want.forEach(event -> JsonPath.remove(event.path("object"), paths));
      got.forEach(event -> JsonPath.remove(event.path("object"), paths));
    }
    differences(part.equals("body") ? "$" : part, left, right, mode.equals("subset"), out);
  }

  private void sequence(JsonNode want, JsonNode got, List<String> out) {
    int next = 0;
    for (JsonNode event : got) {
      var unlike = new ArrayList<String>();
      if (next < want.size()) {
        differences("", want.get(next), event, true, unlike);
        next += unlike.isEmpty() ? 1 : 0;
      }
    }
    if (next < want.size()) {
      out.add(
          "events: %s (number %d of %d) did not come after those before it; seen: %s"
              .formatted(want.get(next), next + 1, want.size(), shortened(got)));
    }
  }

  private void differences(
      String path, JsonNode want, JsonNode got, boolean subset, List<String> out) {
    if (want.isObject() && got.isObject()) {
      want.properties()
          .forEach(e -> {
            var other = got.path(e.getKey());
            if (!(absent(e.getValue()) && absent(other))) {
              differences(path + "." + e.getKey(), e.getValue(), other, subset, out);
            }
          });
      got.properties()
          .forEach(e -> {
            if (!subset && !want.has(e.getKey()) && !absent(e.getValue())) {
              out.add(
                  "%s.%s: expected nothing, got %s"
                      .formatted(path, e.getKey(), shortened(e.getValue())));
            }
          });
      return;
    }
    if (want.isArray() && got.isArray()) {
      lists(path, want, got, subset, out);
      return;
    }
    boolean equal =
        want.isTextual() && got.isTextual()
            ? names.same(want.textValue(), got.textValue())
            : want.isNumber() && got.isNumber()
                ? want.decimalValue().compareTo(got.decimalValue()) == 0
                : want.equals(got) || (absent(want) && absent(got));
    if (!equal) {
      out.add("%s: expected %s, got %s".formatted(path, shortened(want), shortened(got)));
    }
  }

  private void lists(String path, JsonNode want, JsonNode got, boolean subset, List<String> out) {
    if (!subset) {
      for (int i = 0; i < Math.max(want.size(), got.size()); i++) {
        differences(path + "[" + i + "]", want.path(i), got.path(i), false, out);
      }
      return;
    }
    for (int i = 0; i < want.size(); i++) {
      List<String> best = null;
      for (JsonNode candidate : got) {
        var before = names.bindings();
        var unlike = new ArrayList<String>();
        differences(path + "[" + i + "]", want.get(i), candidate, true, unlike);
        best = best == null || unlike.size() < best.size() ? unlike : best;
        if (unlike.isEmpty()) {
          break;
        }
        names.forget(before);
      }
      out.addAll(best == null ? List.of(path + "[" + i + "]: no such entry") : best);
    }
  }

  /** What a person sees of a Table: column names, types, priorities and the cells. */
  private static JsonNode columns(JsonNode table) {
    if (!table.path("kind").asText().equals("Table")) {
      return table;
    }
    var seen = JsonNodeFactory.instance.objectNode().put("kind", "Table");
    var columns = seen.putArray("columns");
    for (JsonNode definition : table.path("columnDefinitions")) {
      var column = columns.addObject();
      for (String field : List.of("name", "type", "format", "priority")) {
        if (definition.has(field)) {
          column.set(field, definition.get(field));
        }
      }
    }
    var rows = seen.putArray("rows");
    table.path("rows").forEach(row -> rows.add(row.path("cells")));
    return seen;
  }

  private static boolean absent(JsonNode node) {
    return node.isMissingNode() || node.isNull();
  }

  private static String shortened(JsonNode node) {
    String text = node.isMissingNode() ? "nothing" : node.toString();
    return text.length() < 600 ? text : text.substring(0, 600) + "...";
  }
}
