package dev.regroup.api.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Decoding;
import dev.regroup.api.Gate;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The types of the API by definition name and by kind. One line of a resource file is one
 * definition; only the index is read at start, a definition is parsed when somebody asks for it.
 * Fields that Regroup adds to Kubernetes' types are present when their gate is on.
 *
 * <p>Immutable: another set of types is another schema. Safe for use by many threads.
 */
public final class Schema {

  private static final String RULE = "io.k8s.api.core.v1.ContainerRestartRule";
  private static final String LIFECYCLE = "io.k8s.api.core.v1.Lifecycle";

  private static final String EXTENDED_RULE_FIELDS =
      """
      {"keep": {"type": "array", "listType": "atomic", "items": {"type": "string"}},
       "terminationGracePeriodSeconds": {"type": "integer", "format": "int64"},
       "restartTimes": {"type": "integer", "format": "int32"},
       "oomKill": {"type": "object"},
       "exit": {"type": "object"}}
      """;

  /** A text or an object: admission makes it a text (TPC-27). */
  private static final String COMPLETION_FIELDS = "{\"onCompletion\": {}}";

  /** Spellings of the proposals that admission folds (ACT-11). */
  private static final String DRAFT_RULE_FIELDS =
      "{\"when\": {}, \"onExit\": {}, \"onExitCodes\": {}}";

  private static final String DRAFT_COMPLETION_FIELDS = "{\"type\": {\"type\": \"string\"}}";

  private record Line(List<GroupVersionKind> kinds, String json) {}

  private final Map<String, Line> lines;
  private final Map<GroupVersionKind, String> kinds;
  private final Map<String, List<String>> additions;
  private final Decoding decoding;
  private final Map<String, Definition> parsed = new ConcurrentHashMap<>();

  private Schema(Map<String, Line> lines, Map<String, List<String>> additions, Decoding decoding) {
    this.lines = lines;
    this.additions = additions;
    this.decoding = decoding;
    this.kinds = new HashMap<>();
    lines.forEach((name, line) -> line.kinds().forEach(kind -> kinds.put(kind, name)));
  }

  /** Kubernetes 1.36, JobSet, what the gates add, and draft spellings where they are read. */
  public static Schema of(Gates gates, Decoding decoding) {
    // Off in the product it is a known field that is refused (VAL-28); upstream never heard of it.
    boolean completion =
        gates.on(Gate.TERMINATE_POD_ON_COMPLETION) || gates.preset() == Gates.Preset.PRODUCT;
    return of(gates.on(Gate.EXTENDED_RULES), completion, decoding);
  }

  /** With the fields of every gate: what an object may have that was stored under other gates. */
  public static Schema ofStored(Decoding decoding) {
    return of(true, true, decoding);
  }

  private static Schema of(boolean extendedRules, boolean completion, Decoding decoding) {
    var lines = new TreeMap<String, Line>();
    load("kubernetes-1.36.txt", lines);
    load("jobset-v1alpha2.txt", lines);
    var rule = new ArrayList<String>();
    var lifecycle = new ArrayList<String>();
    if (extendedRules) {
      rule.add(EXTENDED_RULE_FIELDS);
    }
    if (completion) {
      lifecycle.add(COMPLETION_FIELDS);
    }
    if (decoding == Decoding.LENIENT) {
      rule.add(DRAFT_RULE_FIELDS);
      lifecycle.add(DRAFT_COMPLETION_FIELDS);
    }
    return new Schema(lines, Map.of(RULE, rule, LIFECYCLE, lifecycle), decoding);
  }

  /** This schema and these definitions; a definition of the same name is replaced. */
  public Schema with(List<Definition> definitions) {
    var more = new TreeMap<>(lines);
    definitions.forEach(one -> more.put(one.name(), new Line(one.kinds(), Wire.text(one.json()))));
    return new Schema(more, additions, decoding);
  }

  /** This schema without the definitions of these names. */
  public Schema without(Set<String> names) {
    var fewer = new TreeMap<>(lines);
    fewer.keySet().removeAll(names);
    return new Schema(fewer, additions, decoding);
  }

  Decoding decoding() {
    return decoding;
  }

  public Optional<Definition> kind(GroupVersionKind kind) {
    return Optional.ofNullable(kinds.get(kind)).map(this::definition);
  }

  /** The definition a field refers to. */
  public Definition definition(String name) {
    return parsed.computeIfAbsent(name, this::parse);
  }

  public boolean has(String name) {
    return lines.containsKey(name);
  }

  /** All definition names, sorted. */
  public Set<String> names() {
    return Collections.unmodifiableSet(lines.keySet());
  }

  private Definition parse(String name) {
    Line line = lines.get(name);
    if (line == null) {
      throw new IllegalArgumentException("no definition " + name);
    }
    ObjectNode json = Wire.tree(line.json());
    for (String added : additions.getOrDefault(name, List.of())) {
      ((ObjectNode) requireNonNull(json.get("fields"))).setAll(Wire.tree(added));
    }
    return Definition.of(name, line.kinds(), json);
  }

  private static void load(String resource, Map<String, Line> lines) {
    try (var in = requireNonNull(Schema.class.getResourceAsStream(resource), resource)) {
      String text = new String(in.readAllBytes(), UTF_8);
      for (int start = 0; start < text.length(); ) {
        int end = text.indexOf('\n', start);
        int name = text.indexOf(' ', start);
        int kinds = text.indexOf(' ', name + 1);
        lines.put(
            text.substring(start, name),
            new Line(kinds(text.substring(name + 1, kinds)), text.substring(kinds + 1, end)));
        start = end + 1;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<GroupVersionKind> kinds(String column) {
    if (column.equals("-")) {
      return List.of();
    }
    var kinds = new ArrayList<GroupVersionKind>();
    for (String kind : column.split(";", -1)) {
      String[] parts = kind.split("/", -1);
      kinds.add(new GroupVersionKind(parts[0], parts[1], parts[2]));
    }
    return kinds;
  }
}
