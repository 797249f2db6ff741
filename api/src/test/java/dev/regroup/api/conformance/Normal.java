package dev.regroup.api.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Brings an answer into the form of a recording and compares the two. One per scenario. */
final class Normal {

  private static final Pattern UUID =
      Pattern.compile("\\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\\b");
  private static final Pattern UID_PLACE = Pattern.compile("<uid:(\\d+)>");
  private static final Pattern ADDRESS =
      Pattern.compile("(?<![\\d.])(?:\\d{1,3}\\.){3}\\d{1,3}(?![\\d./])");

  /** Texts that print the insides of another program: only what a client can use is compared. */
  private static final Map<Pattern, String> RULES = new LinkedHashMap<>();

  static {
    rule("\\b[0-9a-f]{64}\\b", "<id>");
    rule("kube-api-access-[a-z0-9]{5}\\b", "kube-api-access-*");
    rule("(pod updates may not change fields other than [^\n]*)\n.*", "$1\n<diff>");
    rule("(cannot unmarshal \\w+(?: [-\\d.]+)?) into [^\n]*", "$1 into <type>");
    rule("in scheme \"[^\"]*\"", "in scheme \"<scheme>\"");
    rule("converting \\([\\w.]+\\) to \\([\\w.]+\\): unknown conversion", "<conversion>");
    rule("(compilation failed: |, Kind=\\w+: )ERROR: .*?(?=, spec\\.|\\]$|$)", "$1<cel>");
    rule("((?:patch: |^)Invalid value: )\"\\{.*\\}\"(?=: )", "$1<object>");
    rule(
        "((?:Invalid|Duplicate) value: )\\[?\\{\"[A-Z].*?\\}\\]?(?=: |$|, [a-z]\\S*: |\\]$)",
        "$1<object>");
  }

  private static void rule(String pattern, String replacement) {
    RULES.put(Pattern.compile(pattern, Pattern.DOTALL), replacement);
  }

  private final String inputs;
  private final Map<String, String> variables;
  private final Map<String, String> uids = new HashMap<>();
  private final Map<String, String> generated = new HashMap<>();
  private final Map<String, String> bound = new HashMap<>();

  Normal(String inputs, Map<String, String> variables) {
    this.inputs = inputs;
    this.variables = variables;
  }

  JsonNode normal(JsonNode value) {
    learn(value);
    return walk(value, "");
  }

  private void learn(JsonNode value) {
    String prefix = value.path("generateName").asText("");
    String name = value.path("name").asText("");
    if (!prefix.isEmpty() && name.length() > prefix.length() && name.startsWith(prefix)) {
      generated.put(name, prefix + "*");
    }
    value.forEach(this::learn);
  }

  private JsonNode walk(JsonNode value, String key) {
    if (value instanceof ObjectNode object) {
      ObjectNode copy = JsonNodeFactory.instance.objectNode();
      object
          .properties()
          .forEach(
              entry -> copy.set(text(entry.getKey(), ""), walk(entry.getValue(), entry.getKey())));
      return copy;
    }
    if (value instanceof ArrayNode array) {
      ArrayNode copy = JsonNodeFactory.instance.arrayNode();
      array.forEach(item -> copy.add(walk(item, key)));
      return copy;
    }
    return value.isTextual() ? TextNode.valueOf(text(value.textValue(), key)) : value;
  }

  String text(String given, String key) {
    if (key.equals("resourceVersion")) {
      return "<rv>";
    }
    String text =
        UUID.matcher(given)
            .replaceAll(m ->
                inputs.contains(m.group())
                    ? m.group()
                    : uids.computeIfAbsent(m.group(), _ -> "<uid:" + (uids.size() + 1) + ">"));
    text = text.replace(MiniServer.NOW, "<time>");
    if (!text.contains("e.g. ")) {
      text = ADDRESS.matcher(text).replaceAll(m -> inputs.contains(m.group()) ? m.group() : "<ip>");
    }
    for (Map.Entry<String, String> name : generated.entrySet()) {
      text = text.replace(name.getKey(), name.getValue());
    }
    for (Map.Entry<String, String> variable : variables.entrySet()) {
      text = text.replace(variable.getValue(), "{{" + variable.getKey() + "}}");
    }
    for (Map.Entry<Pattern, String> rule : RULES.entrySet()) {
      text = rule.getKey().matcher(text).replaceAll(rule.getValue());
    }
    return text;
  }

  /** Lines {@code path: expected X, got Y}. */
  List<String> differences(JsonNode want, JsonNode got, String path, boolean subset) {
    var out = new ArrayList<String>();
    if (want.isObject() && got.isObject()) {
      var names = new TreeSet<String>();
      want.fieldNames().forEachRemaining(names::add);
      if (!subset) {
        got.fieldNames().forEachRemaining(names::add);
      }
      for (String name : names) {
        out.addAll(differences(want.path(name), got.path(name), path + "." + name, subset));
      }
    } else if (want.isArray() && got.isArray()) {
      for (int i = 0; i < Math.max(want.size(), got.size()); i++) {
        out.addAll(differences(want.path(i), got.path(i), path + "[" + i + "]", subset));
      }
    } else if (!same(want, got)) {
      out.add("%s: expected %s, got %s".formatted(path, want, got));
    }
    return out;
  }

  private boolean same(JsonNode want, JsonNode got) {
    boolean noWant = want.isNull() || want.isMissingNode();
    boolean noGot = got.isNull() || got.isMissingNode();
    if (noWant || noGot) {
      return noWant == noGot;
    }
    if (want.isNumber() && got.isNumber()) {
      return want.decimalValue().compareTo(got.decimalValue()) == 0;
    }
    return (want.isTextual() && got.isTextual())
        ? sameText(want.textValue(), got.textValue())
        : want.equals(got);
  }

  /** Each {@code <uid:n>} of the recording stands for one uid of this run. */
  private boolean sameText(String want, String got) {
    if (!UID_PLACE.matcher(want).replaceAll("#").equals(UID_PLACE.matcher(got).replaceAll("#"))) {
      return false;
    }
    Matcher wanted = UID_PLACE.matcher(want);
    Matcher found = UID_PLACE.matcher(got);
    while (wanted.find() && found.find()) {
      if (!found.group(1).equals(bound.computeIfAbsent(wanted.group(1), _ -> found.group(1)))) {
        return false;
      }
    }
    return true;
  }
}
