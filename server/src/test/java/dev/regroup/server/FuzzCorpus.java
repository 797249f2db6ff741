package dev.regroup.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.regroup.client.Request;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.zip.GZIPInputStream;

/**
 * Requests that mean something, to be spoiled: those of the recordings, each form once, and for
 * every kind one that uses all its fields. Knows which fields stand where, and their values.
 */
final class FuzzCorpus {

  private static final String RECORDED = "recorded-requests.jsonl.gz";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final List<Request> requests;
  private final Map<String, List<String>> fields = new TreeMap<>();
  private final Map<String, List<JsonNode>> values = new TreeMap<>();
  private final List<JsonNode> everything = new ArrayList<>();

  private FuzzCorpus(List<Request> requests) {
    this.requests = List.copyOf(requests);
    requests.stream().filter(FuzzCorpus::hasTree).forEach(request -> learn("", tree(request)));
  }

  static FuzzCorpus read() throws IOException {
    try (var in = requireNonNull(FuzzCorpus.class.getResourceAsStream(RECORDED), RECORDED);
        var text = new GZIPInputStream(in)) {
      return new FuzzCorpus(
          new String(text.readAllBytes(), UTF_8)
              .lines()
              .map(line -> RequestLine.parse(line).request())
              .toList());
    }
  }

  List<Request> all(Predicate<Request> wanted) {
    return requests.stream().filter(wanted).toList();
  }

  /** Whether it is about a webhook or a policy: left behind, they would answer for the server. */
  static boolean rulesOthers(Request request) {
    return request.path().contains("admissionregistration.k8s.io");
  }

  static boolean hasTree(Request request) {
    return tree(request).isContainerNode();
  }

  static JsonNode tree(Request request) {
    try {
      return JSON.readTree(request.body());
    } catch (IOException e) {
      return JsonNodeFactory.instance.missingNode(); // recorded because it is broken
    }
  }

  /** A field that some request has inside of one of this name. */
  String fieldOf(String parent, RandomGenerator random) {
    var known = fields.getOrDefault(parent, List.of("a"));
    return known.get(random.nextInt(known.size()));
  }

  /** A value that some request has for a field of this name. */
  JsonNode valueOf(String field, RandomGenerator random) {
    var known = values.getOrDefault(field, everything);
    return known.get(random.nextInt(known.size())).deepCopy();
  }

  JsonNode anyValue(RandomGenerator random) {
    return everything.get(random.nextInt(everything.size())).deepCopy();
  }

  private void learn(String name, JsonNode node) {
    for (var field : node.properties()) {
      fields.computeIfAbsent(name, _ -> new ArrayList<>()).add(field.getKey());
      values.computeIfAbsent(field.getKey(), _ -> new ArrayList<>()).add(field.getValue());
      everything.add(field.getValue());
      learn(field.getKey(), field.getValue());
    }
    if (node.isArray()) {
      node.forEach(item -> learn(name, item));
    }
  }
}
