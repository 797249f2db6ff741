package dev.regroup.api.yaml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;

/**
 * Builds the tree of one document from the parser's events. Depth and the number of nodes that
 * aliases multiply are limited, so that neither a tower of lists nor a bomb of anchors costs more
 * than its own size.
 */
final class TreeBuilder {

  private static final int MAX_DEPTH = 100;
  private static final int MAX_ALIASED_NODES = 10_000;

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final Iterator<Event> events;
  private final Map<String, JsonNode> anchors = new HashMap<>();
  private final Map<String, Integer> sizes = new HashMap<>();
  private final Map<String, Position> places = new HashMap<>();
  private int nodes;
  private int aliased;

  TreeBuilder(Iterator<Event> events) {
    this.events = events;
  }

  /** The document-start event has been taken; takes all up to the document's end. */
  YamlDocument build() throws YamlFailure {
    Event first = events.next();
    var root = node(first, "", 0);
    return new YamlDocument(root, position(first), places);
  }

  private JsonNode node(Event event, String pointer, int depth) throws YamlFailure {
    if (depth > MAX_DEPTH) {
      throw new YamlFailure(
          position(event), "is nested more than " + MAX_DEPTH + " levels deep (flatten it)");
    }
    if (event instanceof AliasEvent alias) {
      return alias(alias);
    }
    int before = nodes++;
    var node =
        switch (event.getEventId()) {
          case Scalar -> scalar((ScalarEvent) event);
          case SequenceStart -> list(pointer, depth);
          case MappingStart -> map(pointer, depth);
          default -> throw new YamlFailure(position(event), "is not YAML: unexpected " + event);
        };
    if (event instanceof NodeEvent named && named.getAnchor().isPresent()) {
      String name = named.getAnchor().get().getValue();
      anchors.put(name, node);
      sizes.put(name, nodes - before);
    }
    return node;
  }

  private JsonNode alias(AliasEvent alias) throws YamlFailure {
    String name = alias.getAlias().getValue();
    var node = anchors.get(name);
    if (node == null) {
      throw new YamlFailure(position(alias), "uses *" + name + ", but no &" + name + " precedes");
    }
    int size = sizes.getOrDefault(name, 1);
    aliased += size;
    nodes += size; // an anchor around aliases is as large as what they stand for
    if (aliased > MAX_ALIASED_NODES) {
      throw new YamlFailure(
          position(alias), "aliases stand for more than " + MAX_ALIASED_NODES + " values");
    }
    return node.deepCopy();
  }

  private JsonNode list(String pointer, int depth) throws YamlFailure {
    var list = JSON.arrayNode();
    while (true) {
      Event next = events.next();
      if (next.getEventId() == Event.ID.SequenceEnd) {
        return list;
      }
      String item = pointer + "/" + list.size();
      places.put(item, position(next));
      list.add(node(next, item, depth + 1));
    }
  }

  private JsonNode map(String pointer, int depth) throws YamlFailure {
    var map = JSON.objectNode();
    ObjectNode merged = null;
    while (true) {
      Event next = events.next();
      if (next.getEventId() == Event.ID.MappingEnd) {
        return merged == null ? map : merged.setAll(map);
      }
      if (!(next instanceof ScalarEvent scalar)) {
        throw new YamlFailure(position(next), "a key must be a plain text, not a list or a map");
      }
      String key = scalar.getValue();
      String field = pointer + "/" + key.replace("~", "~0").replace("/", "~1");
      if (map.has(key)) {
        throw new YamlFailure(
            position(next), "key \"" + key + "\" stands here twice, first at " + places.get(field));
      }
      places.put(field, position(next));
      var value = node(events.next(), field, depth + 1);
      if (key.equals("<<") && scalar.isPlain()) {
        merged = merge(merged, value, position(next));
      } else {
        map.set(key, value);
      }
    }
  }

  /** The merge key of YAML 1.1: the first of several maps wins, the map's own keys win over all. */
  private static ObjectNode merge(
      @org.jspecify.annotations.Nullable ObjectNode merged, JsonNode value, Position place)
      throws YamlFailure {
    var result = merged == null ? JSON.objectNode() : merged;
    for (JsonNode source : value.isArray() ? value : JSON.arrayNode().add(value)) {
      if (!source.isObject()) {
        throw new YamlFailure(place, "<< must name a map");
      }
      source.properties().forEach(entry -> result.putIfAbsent(entry.getKey(), entry.getValue()));
    }
    return result;
  }

  private static JsonNode scalar(ScalarEvent scalar) {
    boolean text =
        !scalar.isPlain() || scalar.getTag().filter("tag:yaml.org,2002:str"::equals).isPresent();
    return text ? JSON.textNode(scalar.getValue()) : PlainScalar.resolve(scalar.getValue());
  }

  private static Position position(Event event) {
    return event
        .getStartMark()
        .map(mark -> new Position(mark.getLine() + 1, mark.getColumn() + 1))
        .orElse(new Position(1, 1));
  }
}
