package dev.regroup.e2e.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** What one run has learnt about the values its server made up, and their neutral spelling. */
final class Normaliser {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private static final Pattern UUID =
      Pattern.compile("\\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\\b");
  private static final Pattern TIME =
      Pattern.compile(
          "\\b\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)");
  private static final Pattern IPV4 =
      Pattern.compile("(?<![\\d.])(\\d{1,3}\\.){3}\\d{1,3}(?![\\d./])");
  private static final Pattern AGE = Pattern.compile("(\\d+[ydhms])+");
  private static final Pattern UID = Pattern.compile("<uid:(\\d+)>");
  private static final Pattern VARIABLE = Pattern.compile("\\{\\{(\\w+)\\}\\}");
  private static final Pattern REPEAT = Pattern.compile("\\{\\{repeat:(.+?):(\\d+)\\}\\}");

  private record TextRule(Pattern pattern, String replacement) {
    static TextRule of(String pattern, String replacement) {
      return new TextRule(Pattern.compile(pattern, Pattern.DOTALL), replacement);
    }
  }

  /** Texts that show the inside of one server keep what a client can use. */
  private static final List<TextRule> TEXT_RULES =
      List.of(
          TextRule.of("\\beyJ[\\w-]+\\.[\\w-]+\\.[\\w-]+", "<token>"),
          TextRule.of("\\b[a-z0-9.-]+://(sha256:)?[0-9a-f]{64}", "<id>"),
          TextRule.of("\\b[0-9a-f]{64}\\b", "<id>"),
          TextRule.of("\\b[0-9a-f]{40}\\b", "<sha1>"),
          TextRule.of("\\.[0-9a-f]{16}$", ".<hex>"),
          TextRule.of("kube-api-access-[a-z0-9]{5}\\b", "kube-api-access-*"),
          TextRule.of("(Too large resource version: \\d+, current: )\\d+", "$1<rv>"),
          TextRule.of("(too old resource version: \\d+ \\()\\d+", "$1<rv>"),
          TextRule.of(
              "(pod updates may not change fields other than [^\\n]*"
                  + "|existing ephemeral containers [^\\n]* may not be \\w+)\\n.*",
              "$1\n<diff>"),
          TextRule.of("(cannot unmarshal \\w+(?: [-\\d.]+)?) into [^\\n]*", "$1 into <type>"),
          TextRule.of("in scheme \"[^\"]*\"", "in scheme \"<scheme>\""),
          TextRule.of(
              "StorageError: invalid object, Code: 4, Key: .*?, ResourceVersion: \\d+,"
                  + " AdditionalErrorMsg: ",
              "<storage error> "),
          TextRule.of(
              "converting \\([\\w.]+\\) to \\([\\w.]+\\): unknown conversion", "<conversion>"),
          TextRule.of(
              "(compilation failed: |, Kind=\\w+: )ERROR: .*?(?=, spec\\.|\\]$|$)", "$1<cel>"),
          TextRule.of("((?:patch: |^)Invalid value: )\"\\{.*\\}\"(?=: )", "$1<object>"),
          TextRule.of(
              "((?:Invalid|Duplicate) value: )\\[?\\{\"[A-Z].*?\\}\\]?(?=: |$|, [a-z]\\S*: |\\]$)",
              "$1<object>"),
          TextRule.of("\\bretry after \\d+s", "retry after <n>s"));

  private final Map<String, String> variables;
  private final Set<String> fresh;
  private final List<String> nodes;
  private final String inputs;
  private final List<TextRule> rules = new ArrayList<>();
  private final Map<String, Integer> uids = new HashMap<>();
  private final Map<String, String> generated = new LinkedHashMap<>();
  private final Map<String, String> wantedToGot = new HashMap<>();
  private final Map<String, String> gotToWanted = new HashMap<>();

  Normaliser(
      JsonNode scenario, Map<String, String> variables, Set<String> fresh, List<String> nodes) {
    this.variables = new HashMap<>(variables);
    this.fresh = Set.copyOf(fresh);
    this.nodes = List.copyOf(nodes);
    var steps = scenario.path("steps").deepCopy();
    steps.forEach(step -> ((ObjectNode) step).remove("expect"));
    this.inputs = steps.toString();
    scenario
        .path("normalise")
        .forEach(rule -> rules.add(TextRule.of(rule.get(0).asText(), rule.get(1).asText())));
  }

  void define(String name, String value) {
    variables.put(name, value);
  }

  /** Puts variables into a request. */
  JsonNode fill(JsonNode node) {
    if (node.isTextual()) {
      return JSON.textNode(fill(node.textValue()));
    }
    return rebuilt(node, (_, child) -> fill(child), this::fill);
  }

  String fill(String text) {
    if (!text.contains("{{")) {
      return text;
    }
    String longer =
        REPEAT
            .matcher(text)
            .replaceAll(m -> quote(m.group(1).repeat(Integer.parseInt(m.group(2)))));
    return VARIABLE
        .matcher(longer)
        .replaceAll(m -> quote(variables.getOrDefault(m.group(1), m.group())));
  }

  /** The neutral spelling of an answer. */
  JsonNode normal(JsonNode answer) {
    learn(answer);
    var result = walk("", answer);
    if (result.path("kind").asText().equals("Table")) {
      hideAges(result);
    }
    return result;
  }

  String text(String text) {
    String s = UUID.matcher(text).replaceAll(m -> quote(uid(m.group())));
    s = TIME.matcher(s).replaceAll(m -> quote(time(m)));
    if (!s.contains("e.g. ")) {
      s = IPV4.matcher(s).replaceAll(m -> quote(address(m.group())));
    }
    for (var entry : generated.entrySet()) {
      s = s.replace(entry.getKey(), entry.getValue());
    }
    for (String name : fresh) {
      s = s.replace(variables.getOrDefault(name, "{{" + name + "}}"), "{{" + name + "}}");
    }
    for (String node : nodes) {
      s = s.replaceAll("(?<![\\w.-])" + Pattern.quote(node) + "(?![\\w-]|\\.\\w)", "<node>");
    }
    for (TextRule rule : TEXT_RULES) {
      s = rule.pattern().matcher(s).replaceAll(rule.replacement());
    }
    for (TextRule rule : rules) {
      s = rule.pattern().matcher(s).replaceAll(rule.replacement().replaceAll("\\\\(\\d)", "\\$$1"));
    }
    return s;
  }

  /** Equal texts, where one recorded uid stands for one and the same uid of this server. */
  boolean same(String wanted, String got) {
    if (!UID.matcher(wanted).replaceAll("<uid>").equals(UID.matcher(got).replaceAll("<uid>"))) {
      return false;
    }
    var left = UID.matcher(wanted).results().map(MatchResult::group).toList();
    var right = UID.matcher(got).results().map(MatchResult::group).toList();
    for (int i = 0; i < left.size(); i++) {
      wantedToGot.putIfAbsent(left.get(i), right.get(i));
      gotToWanted.putIfAbsent(right.get(i), left.get(i));
      if (!right.get(i).equals(wantedToGot.get(left.get(i)))
          || !left.get(i).equals(gotToWanted.get(right.get(i)))) {
        return false;
      }
    }
    return true;
  }

  /** Which uids stand for which, as of now; {@link #forget} goes back to it. */
  record Bindings(Map<String, String> wantedToGot, Map<String, String> gotToWanted) {}

  Bindings bindings() {
    return new Bindings(new HashMap<>(wantedToGot), new HashMap<>(gotToWanted));
  }

  void forget(Bindings since) {
    wantedToGot.clear();
    wantedToGot.putAll(since.wantedToGot());
    gotToWanted.clear();
    gotToWanted.putAll(since.gotToWanted());
  }

  /** Remembers names that came from generateName. */
  private void learn(JsonNode node) {
    String prefix = node.path("generateName").asText("");
    String name = node.path("name").asText("");
    if (!prefix.isEmpty() && name.startsWith(prefix) && !name.equals(prefix)) {
      generated.put(name, prefix + "*");
    }
    node.forEach(this::learn);
  }

  private JsonNode walk(String key, JsonNode node) {
    if (!node.isTextual()) {
      return rebuilt(node, (name, child) -> walk(name.isEmpty() ? key : name, child), this::text);
    }
    String value = node.textValue();
    String neutral =
        switch (key) {
          case "resourceVersion" ->
              value.chars().allMatch(Character::isDigit) && !value.isEmpty() ? "<rv>" : text(value);
          case "continue" -> value.isEmpty() ? "" : "<continue>";
          case "containerID", "imageID" -> value.isEmpty() ? "" : "<id>";
          default -> text(value);
        };
    return JSON.textNode(neutral);
  }

  private interface Child {
    JsonNode of(String name, JsonNode child);
  }

  private interface Key {
    String of(String name);
  }

  private static JsonNode rebuilt(JsonNode node, Child child, Key key) {
    if (node.isObject()) {
      var object = JSON.objectNode();
      node.properties()
          .forEach(e -> object.set(key.of(e.getKey()), child.of(e.getKey(), e.getValue())));
      return object;
    }
    if (node.isArray()) {
      var array = JSON.arrayNode();
      node.forEach(item -> array.add(child.of("", item)));
      return array;
    }
    return node;
  }

  private static void hideAges(JsonNode table) {
    var ages = new ArrayList<Integer>();
    for (int i = 0; i < table.path("columnDefinitions").size(); i++) {
      var column = table.path("columnDefinitions").get(i);
      if (Set.of("Age", "Last Seen", "First Seen", "Duration")
              .contains(column.path("name").asText())
          || column.path("type").asText().equals("date")) {
        ages.add(i);
      }
    }
    for (var row : table.path("rows")) {
      for (int i : ages) {
        if (AGE.matcher(row.path("cells").path(i).asText()).matches()) {
          ((ArrayNode) row.path("cells")).set(i, JSON.textNode("<age>"));
        }
      }
    }
  }

  private String uid(String uid) {
    return inputs.contains(uid)
        ? uid
        : "<uid:%d>".formatted(uids.computeIfAbsent(uid, _ -> uids.size() + 1));
  }

  private String time(MatchResult match) {
    var when = OffsetDateTime.parse(match.group()).toInstant();
    boolean near = Duration.between(when, Instant.now()).abs().compareTo(Duration.ofDays(400)) < 0;
    if (inputs.contains(match.group()) || !near) {
      return match.group();
    }
    return match.group(1) != null && match.group(1).length() == 7 ? "<microtime>" : "<time>";
  }

  private String address(String address) {
    boolean plain = inputs.contains(address) || Set.of("127.0.0.1", "0.0.0.0").contains(address);
    return plain ? address : "<ip>";
  }

  private static String quote(String text) {
    return java.util.regex.Matcher.quoteReplacement(text);
  }
}
