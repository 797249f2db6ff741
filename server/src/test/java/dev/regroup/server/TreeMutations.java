package dev.regroup.server;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * Changes the structure of JSON, so that it stays JSON: nodes go, come twice, change places or
 * types, become huge or deep, and fields appear where other requests have them.
 */
final class TreeMutations {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** Written as they stand: what no parser of ours would let a tree hold. */
  private static final List<String> LITERALS =
      List.of(
          "0",
          "-0",
          "-1",
          "1.5",
          "1e3",
          "2147483648",
          "9223372036854775807",
          "9223372036854775808",
          "-9223372036854775809",
          "1E400",
          "1E-400",
          "1E9999999999",
          "\"\\ud800\"",
          "\"\\u0000\"",
          "\"\\u202e\\ufeff\\uffff\"",
          "{\"a\":1,\"a\":2}",
          "{\"\":{}}",
          "null",
          "true");

  private static final List<String> WORDS =
      List.of(
          "",
          " ",
          "a",
          "A",
          "-",
          ".",
          "..",
          "../..",
          "/",
          "//",
          "a/b",
          "*",
          "%",
          "100%",
          "-5%",
          "$",
          "$(A)",
          "{{x}}",
          "1",
          "-1",
          "0x10",
          "1Ki",
          "1e3m",
          "1.5Gi",
          "9E",
          "n",
          "\n",
          "\0",
          "😀",
          "größe",
          "2026-02-30T00:00:00Z",
          "9999-12-31T23:59:59Z",
          "2026-01-01T00:00:00.5+25:00",
          "AAEC/w==",
          "=",
          "a=b",
          "10.0.0.1",
          "::1",
          "10.0.0.0/33",
          "v1",
          "batch/v1",
          "Pod",
          "kubernetes.io/x",
          "metadata.name",
          "status.podIP",
          "limits.cpu",
          "delete",
          "replace",
          "merge",
          "Always",
          "None",
          "default",
          "/metadata/name",
          "/metadata/labels/a~1b",
          "/-",
          "/spec/containers/0",
          "/spec/containers/-",
          "/spec/containers/01",
          "x".repeat(64),
          "x".repeat(254),
          "x".repeat(70_000));

  private static final List<String> FIELDS =
      List.of(
          "$patch",
          "$retainKeys",
          "$setElementOrder/containers",
          "$deleteFromPrimitiveList/args",
          "f:metadata",
          "k:{\"name\":\"c\"}",
          "v:1",
          "i:0",
          ".",
          "",
          "Name",
          "__proto__",
          "a.b",
          "metadata",
          "spec",
          "status",
          "finalizers",
          "ownerReferences",
          "managedFields");

  private final FuzzCorpus corpus;
  private final RandomGenerator random;
  private final TextMutations texts;

  TreeMutations(FuzzCorpus corpus, RandomGenerator random) {
    this.corpus = corpus;
    this.random = random;
    this.texts = new TextMutations(random);
  }

  /** A place in a tree where something may change, and the field it is the value of. */
  private record Spot(String name, JsonNode container) {}

  JsonNode of(JsonNode tree) {
    if (random.nextInt(100) == 0) {
      return value("", tree);
    }
    var copy = tree.deepCopy();
    for (int changes = 1 + random.nextInt(1 + random.nextInt(6)); changes > 0; changes--) {
      var spots = new ArrayList<Spot>();
      collect("", copy, spots);
      if (!spots.isEmpty()) {
        change(spots.get(random.nextInt(spots.size())));
      }
    }
    return copy;
  }

  private static void collect(String name, JsonNode node, List<Spot> spots) {
    if (node.isContainerNode()) {
      spots.add(new Spot(name, node));
      node.properties().forEach(field -> collect(field.getKey(), field.getValue(), spots));
      if (node.isArray()) {
        node.forEach(item -> collect(name, item, spots));
      }
    }
  }

  private void change(Spot spot) {
    if (spot.container() instanceof ObjectNode object) {
      change(spot.name(), object);
    } else if (spot.container() instanceof ArrayNode list) {
      change(spot.name(), list);
    }
  }

  private void change(String name, ObjectNode object) {
    if (object.isEmpty() || random.nextInt(3) == 0) {
      var field = corpus.fieldOf(name, random);
      object.set(field, corpus.valueOf(field, random));
      return;
    }
    var names = new ArrayList<String>();
    object.fieldNames().forEachRemaining(names::add);
    var field = pick(names);
    switch (random.nextInt(8)) {
      case 0 -> object.remove(field);
      case 1 -> object.set(pick(FIELDS), object.get(field));
      case 2 -> object.set(field.toUpperCase(Locale.ROOT), object.remove(field));
      case 3 -> {
        var other = pick(names);
        var kept = object.get(field);
        object.set(field, object.get(other));
        object.set(other, kept);
      }
      case 4 -> object.set(pick(FIELDS), value(field, object.get(field)));
      default -> object.set(field, value(field, object.get(field)));
    }
  }

  private void change(String name, ArrayNode list) {
    if (list.isEmpty()) {
      list.add(corpus.valueOf(name, random));
      return;
    }
    int at = random.nextInt(list.size());
    switch (random.nextInt(6)) {
      case 0 -> list.remove(at);
      case 1 -> list.insert(at, list.get(at).deepCopy());
      case 2 -> {
        var one = list.get(at);
        IntStream.range(0, random.nextInt(300)).forEach(_ -> list.add(one.deepCopy()));
      }
      case 3 -> list.add(list.remove(at));
      default -> list.set(at, value(name, list.get(at)));
    }
  }

  private JsonNode value(String field, JsonNode old) {
    return switch (random.nextInt(10)) {
      case 0, 1 -> JSON.rawValueNode(new RawValue(pick(LITERALS)));
      case 2, 3 -> JSON.textNode(pick(WORDS));
      case 4 -> JSON.arrayNode().add(old.deepCopy());
      case 5 -> JSON.objectNode().set(pick(FIELDS), old.deepCopy());
      case 6 -> random.nextInt(20) == 0 ? deep(old) : corpus.anyValue(random);
      case 7 -> old.isTextual() ? JSON.textNode(texts.of(old.asText())) : JSON.nullNode();
      default -> corpus.valueOf(field, random);
    };
  }

  private JsonNode deep(JsonNode bottom) {
    var json = bottom;
    for (int levels = random.nextInt(500); levels > 0; levels--) {
      json = random.nextBoolean() ? JSON.arrayNode().add(json) : JSON.objectNode().set("a", json);
    }
    return json;
  }

  private <T> T pick(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }
}
