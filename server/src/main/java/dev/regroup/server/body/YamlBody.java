package dev.regroup.server.body;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.schema.Document;
import dev.regroup.server.wire.GoText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * YAML bodies, read with the rules of the YAML version Kubernetes uses (1.1: {@code y} and {@code
 * on} are booleans), and answers written as YAML. Texts that nest too deep are refused before they
 * are put together, and aliases that would make a small text large when they are followed.
 */
final class YamlBody {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final int DEEPEST = 200;
  private static final Set<String> TRUE =
      Set.of("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON");
  private static final Set<String> FALSE =
      Set.of("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF");
  private static final Set<String> NULL = Set.of("", "~", "null", "Null", "NULL");
  private static final Pattern INTEGER = Pattern.compile("[-+]?(0|[1-9][0-9]*)");
  private static final Pattern OCTAL = Pattern.compile("0o[0-7]+");
  private static final Pattern FLOAT =
      Pattern.compile("[-+]?([0-9]+\\.[0-9]*|\\.[0-9]+|[0-9]+)([eE][-+]?[0-9]+)?");

  /** Begins what the library of Kubernetes says of a key that is there twice. */
  static final String YAML_PROBLEM = "yaml: unmarshal errors:\n  line ";

  private static final Pattern INDENT = Pattern.compile("(?m)^[ \\t]+");

  /** So many values may come from aliases. */
  private static final int MOST_ALIASED = 100_000;

  private final List<String> duplicates = new ArrayList<>();
  private int valuesLeft;

  private YamlBody(int values) {
    this.valuesLeft = values + MOST_ALIASED;
  }

  static Document read(byte[] body) throws BadYaml {
    return read(new String(body, StandardCharsets.UTF_8));
  }

  /** Within brackets lines may begin with tabs, which the library does not know. */
  static Document readFlow(byte[] body) throws BadYaml {
    return read(INDENT.matcher(new String(body, StandardCharsets.UTF_8)).replaceAll(" "));
  }

  private static Document read(String text) throws BadYaml {
    try {
      var settings = LoadSettings.builder().setAllowDuplicateKeys(true).build();
      var reader = new YamlBody(countValues(settings, text));
      var roots = new Compose(settings).composeAllFromString(text).iterator();
      Optional<Node> root = roots.hasNext() ? Optional.of(roots.next()) : Optional.empty();
      var tree = root.isPresent() ? reader.convert(root.get(), 0) : JSON.objectNode();
      if (tree.isNull()) {
        return new Document(JSON.objectNode(), List.of());
      }
      if (!(tree instanceof ObjectNode object)) {
        throw new NoMap(tree.isTextual() ? "string" : tree.isArray() ? "array" : kind(tree));
      }
      return new Document(object, reader.duplicates);
    } catch (YamlEngineException e) {
      throw new BadYaml("yaml: " + YamlComplaint.of(e));
    }
  }

  /** The composer calls itself for every level, so depth is judged before it. */
  private static int countValues(LoadSettings settings, String text) throws BadYaml {
    int depth = 0;
    int values = 0;
    for (var event : new Parse(settings).parseString(text)) {
      switch (event.getEventId()) {
        case MappingStart, SequenceStart -> {
          depth++;
          values++;
        }
        case MappingEnd, SequenceEnd -> depth--;
        default -> values++;
      }
      if (depth > DEEPEST) {
        throw tooDeep();
      }
    }
    return values;
  }

  private static BadYaml tooDeep() {
    return new BadYaml("yaml: exceeded max depth of " + DEEPEST);
  }

  static byte[] write(JsonNode tree) {
    var settings =
        DumpSettings.builder()
            .setDefaultFlowStyle(FlowStyle.BLOCK)
            .setDefaultScalarStyle(ScalarStyle.PLAIN)
            .setIndicatorIndent(0)
            .build();
    var plain = dev.regroup.api.Wire.read(tree, Object.class);
    return new Dump(settings).dumpToString(sorted(plain)).getBytes(StandardCharsets.UTF_8);
  }

  private static String kind(JsonNode scalar) {
    return scalar.isBoolean() ? "bool" : "number";
  }

  /** It is YAML, but no object. */
  static final class NoMap extends BadYaml {
    private final String found;

    NoMap(String found) {
      super("yaml: the document is a " + found);
      this.found = found;
    }

    String found() {
      return found;
    }
  }

  /** As Kubernetes' library writes it: by key. */
  private static Object sorted(Object value) {
    return switch (value) {
      case Map<?, ?> map -> {
        var sorted = new TreeMap<String, @Nullable Object>();
        map.forEach(
            (key, one) -> sorted.put(String.valueOf(key), one == null ? null : sorted(one)));
        yield sorted;
      }
      case List<?> list -> {
        var items = new ArrayList<@Nullable Object>();
        list.forEach(item -> items.add(item == null ? null : sorted(item)));
        yield items;
      }
      default -> value;
    };
  }

  /** The text is no YAML. */
  static sealed class BadYaml extends Exception permits NoMap {
    BadYaml(String message) {
      super(message, null, false, false);
    }
  }

  private JsonNode convert(Node node, int depth) throws BadYaml {
    if (depth > DEEPEST) {
      throw tooDeep();
    }
    if (--valuesLeft < 0) {
      throw new BadYaml("yaml: document contains excessive aliasing");
    }
    return switch (node) {
      case MappingNode map -> convertMap(map, depth);
      case SequenceNode list -> {
        var array = JSON.arrayNode();
        for (var item : list.getValue()) {
          array.add(convert(item, depth + 1));
        }
        yield array;
      }
      case ScalarNode scalar -> convertScalar(scalar);
      default -> throw new BadYaml("yaml: unexpected node");
    };
  }

  private ObjectNode convertMap(MappingNode map, int depth) throws BadYaml {
    var object = JSON.objectNode();
    for (var tuple : map.getValue()) {
      if (isMerge(tuple)) {
        merge(convert(tuple.getValueNode(), depth + 1), object);
        continue;
      }
      if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
        throw new BadYaml("yaml: invalid map key");
      }
      var name = name(key);
      if (object.has(name)) {
        long line = key.getStartMark().map(mark -> mark.getLine() + 1L).orElse(0L);
        duplicates.add(YAML_PROBLEM + line + ": key " + GoText.quote(name) + " already set in map");
      }
      object.set(name, convert(tuple.getValueNode(), depth + 1));
    }
    return object;
  }

  private static boolean isMerge(NodeTuple tuple) {
    return tuple.getKeyNode() instanceof ScalarNode key
        && key.getScalarStyle() == ScalarStyle.PLAIN
        && key.getValue().equals("<<");
  }

  /** What is merged in gives way to what stands in the map itself. */
  private static void merge(JsonNode merged, ObjectNode object) {
    if (merged.isArray()) {
      merged.forEach(one -> merge(one, object));
    }
    for (var field : merged.properties()) {
      if (!object.has(field.getKey())) {
        object.set(field.getKey(), field.getValue());
      }
    }
  }

  /** A key is a value first, and its name the text of that value. */
  private static String name(ScalarNode key) throws BadYaml {
    var value = convertScalar(key);
    if (value.isNull()) {
      throw new BadYaml("unsupported map key of type: %!s(<nil>), key: <nil>");
    }
    return value.asText();
  }

  private static JsonNode convertScalar(ScalarNode scalar) {
    var text = Document.wellFormed(scalar.getValue());
    if (scalar.getScalarStyle() != ScalarStyle.PLAIN) {
      return JSON.textNode(text);
    }
    if (NULL.contains(text)) {
      return JSON.nullNode();
    }
    if (TRUE.contains(text) || FALSE.contains(text)) {
      return JSON.booleanNode(TRUE.contains(text));
    }
    if (OCTAL.matcher(text).matches() && text.length() < 19) {
      return JSON.numberNode(Long.parseLong(text.substring(2), 8));
    }
    if (INTEGER.matcher(text).matches() && text.length() < 19) {
      return JSON.numberNode(Long.parseLong(text));
    }
    if (FLOAT.matcher(text).matches() && Double.isFinite(Double.parseDouble(text))) {
      return JSON.numberNode(Double.parseDouble(text));
    }
    return JSON.textNode(text);
  }
}
