package dev.regroup.api.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.review.AdmissionSettings;
import dev.regroup.api.admission.review.TokenVolumes;
import dev.regroup.api.schema.GroupVersionKind;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every recorded write that admission decides is answered as the real server answered it. */
class RecordingsTest {

  private static final Pattern URL =
      Pattern.compile(
          "/(?:api/(v1)|apis/([^/]+)/([^/]+))(?:/namespaces/([^/]+))?/([a-z]+)(?:/([^/]+))?(?:/([a-z]+))?");
  private static final Pattern REPEAT = Pattern.compile("\\{\\{repeat:(.+?):(\\d+)\\}\\}");

  private static final Map<String, String> KINDS =
      Map.ofEntries(
          Map.entry("pods", "Pod"),
          Map.entry("jobs", "Job"),
          Map.entry("jobsets", "JobSet"),
          Map.entry("configmaps", "ConfigMap"),
          Map.entry("secrets", "Secret"),
          Map.entry("services", "Service"),
          Map.entry("events", "Event"),
          Map.entry("leases", "Lease"),
          Map.entry("nodes", "Node"),
          Map.entry("namespaces", "Namespace"),
          Map.entry("endpointslices", "EndpointSlice"),
          Map.entry("priorityclasses", "PriorityClass"),
          Map.entry("validatingadmissionpolicies", "ValidatingAdmissionPolicy"),
          Map.entry("validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding"),
          Map.entry("validatingwebhookconfigurations", "ValidatingWebhookConfiguration"),
          Map.entry("mutatingwebhookconfigurations", "MutatingWebhookConfiguration"),
          Map.entry("persistentvolumeclaims", "PersistentVolumeClaim"));

  /** Steps a server decides before or after admission, and differences a rule wants. */
  private static final Map<String, String> ELSEWHERE =
      Map.ofEntries(
          Map.entry("pod-updates: name", "the URL is the server's"),
          Map.entry("namespaces: create again", "conflicts are the server's"),
          Map.entry("decoding: no apiVersion", "conflicts are the server's"),
          Map.entry("decoding: larger than the request limit", "limits are the server's"),
          Map.entry("namespaces: create in a terminating namespace", "the server's"),
          Map.entry("field-validation: unknown directive", "options are the server's"),
          Map.entry("deny-schema: wrong version in the body", "an accident of upstream"),
          Map.entry("namespaces: create in a missing namespace", "the server's"),
          Map.entry("configmaps: create again", "conflicts are the server's"),
          Map.entry("configmaps: replace missing", "the server's"),
          Map.entry("configmaps: patch missing", "the server's"),
          Map.entry("pod-status: one condition merged by type", "the order of a patch"));

  /** Played but not compared, with the rule that wants another answer. */
  private static final Map<String, String> OTHERWISE =
      Map.of(
          "jobset-schema: smallest JobSet", "JS-42: the webhooks are built in here",
          "jobset-schema: everything set", "JS-42, JS-42b: the webhooks are built in here",
          "jobset-schema: managedBy, schema only", "JS-66: the webhooks are built in here",
          "jobset-schema: in-place restart counters", "JS-28i: syncedEpoch is a field here");

  static Stream<Path> recordings() throws IOException, URISyntaxException {
    var folder = Path.of(requireNonNull(RecordingsTest.class.getResource("api")).toURI());
    try (var files = Files.walk(requireNonNull(folder.getParent()))) {
      return files.filter(f -> f.toString().endsWith(".json")).sorted().toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("recordings")
  void answers_as_recorded(Path recording) throws IOException {
    var problems = new ArrayList<String>();

    int replayed = replay(recording, problems);

    assertThat(problems).as(recording.getFileName().toString()).isEmpty();
    assertThat(replayed).isPositive();
  }

  @Test
  void replays_more_than_five_hundred_steps() throws IOException, URISyntaxException {
    int replayed = 0;
    for (Path recording : recordings().toList()) {
      replayed += replay(recording, new ArrayList<>());
    }

    assertThat(replayed).isGreaterThan(500);
  }

  private static int replay(Path recording, List<String> problems) throws IOException {
    ObjectNode scenario = Wire.tree(Files.readAllBytes(recording));
    String name = scenario.path("name").asText();
    var gates = Gates.upstream();
    if (!requireNonNull(recording.getParent()).endsWith("api")) {
      gates = gates.with("InPlaceRestart=true,RestartJob=true,ElasticJobSet=true").gates();
    } else if (name.equals("jobset-schema")) {
      gates = gates.with("InPlaceRestart=true").gates();
    }
    var server =
        new MiniServer(new AdmissionSettings(gates, gates.decoding(), TokenVolumes.MOUNTED));
    var variables = new HashMap<String, String>();
    scenario
        .path("vars")
        .fieldNames()
        .forEachRemaining(variable -> variables.put(variable, "replay-" + variable));
    String namespace = variables.getOrDefault("ns", "replay-ns");
    server.put("v1", "ServiceAccount", namespace, "default", Wire.object());
    var normal = new Normal(scenario.path("steps").toString(), variables);
    int replayed = 0;
    for (JsonNode step : scenario.path("steps")) {
      var request = request(step, variables);
      String id = name + ": " + step.path("title").asText("");
      if (request.isEmpty() || ELSEWHERE.containsKey(id)) {
        continue;
      }
      replayed++;
      MiniServer.Answer answer;
      try {
        answer = server.handle(request.get());
      } catch (IllegalStateException e) {
        problems.add(id + ": " + e.getMessage());
        continue;
      }
      if (OTHERWISE.containsKey(id)) {
        continue;
      }
      for (String difference : compare(step, answer, normal)) {
        problems.add(id + ": " + difference);
      }
    }
    return replayed;
  }

  private static Optional<MiniServer.Request> request(
      JsonNode step, Map<String, String> variables) {
    JsonNode request = step.path("request");
    String method = request.path("method").asText("GET");
    String type = request.path("headers").path("Content-Type").asText("application/json");
    boolean patch = method.equals("PATCH") && type.endsWith("merge-patch+json");
    boolean write =
        List.of("POST", "PUT", "DELETE").contains(method) && type.equals("application/json");
    Matcher url = URL.matcher(fill(request.path("path").asText(), variables));
    if (!(patch || write) || !url.matches() || request.path("query").has("dryRun")) {
      return Optional.empty();
    }
    String kind = KINDS.get(url.group(5));
    String sub = url.group(7) == null ? "" : url.group(7);
    if (kind == null || !(sub.isEmpty() || sub.equals("status"))) {
      return Optional.empty();
    }
    String body =
        request.has("body") ? request.path("body").toString() : request.path("bodyText").asText();
    return Optional.of(
        new MiniServer.Request(
            method,
            new GroupVersionKind(
                url.group(2) == null ? "" : url.group(2),
                url.group(2) == null ? "v1" : url.group(3),
                kind),
            url.group(4) == null ? "" : url.group(4),
            url.group(6) == null ? "" : url.group(6),
            sub,
            request.path("query").path("fieldValidation").asText(""),
            type,
            fill(body, variables).getBytes(UTF_8)));
  }

  private static String fill(String text, Map<String, String> variables) {
    String filled =
        REPEAT.matcher(text).replaceAll(m -> m.group(1).repeat(Integer.parseInt(m.group(2))));
    for (Map.Entry<String, String> variable : variables.entrySet()) {
      filled = filled.replace("{{" + variable.getKey() + "}}", variable.getValue());
    }
    return filled;
  }

  private static List<String> compare(JsonNode step, MiniServer.Answer answer, Normal normal) {
    var out = new ArrayList<String>();
    JsonNode want = step.path("expect");
    if (step.path("request").path("method").asText().equals("DELETE")) {
      return out; // what a deletion answers is the server's
    }
    JsonNode body = normal.normal(answer.body());
    if (want.isMissingNode()) {
      if (answer.status() >= 300) {
        out.add("set-up was refused: " + body.path("message").asText());
      }
      return out;
    }
    if (want.path("status").intValue() != answer.status()) {
      out.add(
          "status: expected %d, got %d (%s)"
              .formatted(
                  want.path("status").intValue(),
                  answer.status(),
                  body.path("message").asText("")));
      return out;
    }
    String mode = step.path("compare").asText("exact");
    if (mode.equals("status")) {
      return out;
    }
    ArrayNode warnings = JsonNodeFactory.instance.arrayNode();
    answer
        .warnings()
        .forEach(text ->
            warnings.add("299 - \"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\""));
    JsonNode wantedWarnings = want.path("headers").path("warning");
    out.addAll(
        normal.differences(
            wantedWarnings.isMissingNode() ? JsonNodeFactory.instance.arrayNode() : wantedWarnings,
            normal.normal(warnings),
            "warning",
            false));
    if (want.has("facts")) {
      out.addAll(
          normal.differences(
              want.path("facts"), project(body, step.path("facts")), "facts", false));
    } else {
      JsonNode expected = want.path("body").deepCopy();
      for (JsonNode ignored : step.path("ignore")) {
        String path = ignored.isTextual() ? ignored.asText() : ignored.path("path").asText();
        if (path.startsWith("$")) {
          Paths.remove(expected, path);
          Paths.remove(body, path);
        }
      }
      out.addAll(normal.differences(expected, body, "$", mode.equals("subset")));
    }
    return out;
  }

  private static JsonNode project(JsonNode body, JsonNode facts) {
    if (facts.isObject()) {
      var entries = new ArrayList<JsonNode>();
      Paths.look(body, facts.path("each").asText())
          .forEach(entry -> entries.add(project(entry, facts.path("facts"))));
      if (facts.path("sort").asBoolean()) {
        entries.sort(Comparator.comparing(JsonNode::toString));
      }
      ArrayNode list = JsonNodeFactory.instance.arrayNode();
      entries.forEach(list::add);
      return list;
    }
    ObjectNode projected = JsonNodeFactory.instance.objectNode();
    facts.forEach(fact -> projected.set(fact.asText(), Paths.look(body, fact.asText())));
    return projected;
  }
}
