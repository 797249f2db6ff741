package dev.regroup.api.admission.field;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Gates;
import dev.regroup.api.tree.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What becomes of every field of a pod, a service and a claim on Regroup's node: a table, {@code
 * fields.txt}. A field that is accepted and does not do what Kubernetes says earns a warning, so
 * that nothing is dropped in silence. Upstream's preset answers as Kubernetes does, without them.
 */
public final class KnownFields {

  /** Whose fields they are. */
  public enum Type {
    POD,
    CONTAINER,
    JOB,
    SERVICE,
    CLAIM
  }

  /** What becomes of a field. */
  public enum Verdict {
    HONOURED,
    WARNED,
    NOTHING
  }

  /** Which values a condition means. */
  public enum Operator {
    IS,
    IS_NOT
  }

  /**
   * When a line holds.
   *
   * @param field beside the field of the line, {@code pod.x} of the pod; empty for the field itself
   */
  public record Condition(String field, Operator operator, String value) {

    private boolean holds(JsonNode found) {
      if (found.isArray()) {
        for (JsonNode item : found) {
          if (holds(item)) {
            return true;
          }
        }
        return false;
      }
      return found.asText("").equals(value) == (operator == Operator.IS);
    }
  }

  /**
   * One line of the table.
   *
   * @param path names and {@code []}, as written
   */
  public record Line(
      Type type, String path, Optional<Condition> condition, Verdict verdict, String sentence) {

    /** The names on the way; a list's name ends in {@code []}. */
    public List<String> names() {
      return List.of(path.split("\\.", -1));
    }
  }

  private static final String EACH = "[]";
  private static final String OF_POD = "pod.";
  private static final List<String> CONTAINERS =
      List.of("initContainers", "containers", "ephemeralContainers");
  private static final List<Line> LINES = read();

  private KnownFields() {}

  public static List<Line> lines() {
    return LINES;
  }

  /** Warnings about a pod or the template of one; its spec is at {@code path}. */
  public static List<String> ofPod(Gates gates, JsonNode spec, FieldPath path) {
    var warnings = of(gates, Type.POD, spec, path);
    for (String list : CONTAINERS) {
      var containers = Trees.objects(spec, list);
      for (int i = 0; i < containers.size(); i++) {
        new Visit(gates, spec, warnings)
            .all(Type.CONTAINER, containers.get(i), path.field(list).index(i));
      }
    }
    return warnings;
  }

  /** Warnings about something of this type at {@code path}. */
  public static List<String> of(Gates gates, Type type, JsonNode object, FieldPath path) {
    var warnings = new ArrayList<String>();
    new Visit(gates, object, warnings).all(type, object, path);
    return warnings;
  }

  /**
   * A walk through one object.
   *
   * @param root what {@code pod.} means
   */
  private record Visit(Gates gates, JsonNode root, List<String> warnings) {

    void all(Type type, JsonNode object, FieldPath path) {
      if (gates.preset() == Gates.Preset.PRODUCT) {
        for (Line line : LINES) {
          if (line.type() == type && line.verdict() == Verdict.WARNED) {
            follow(line, line.names(), object, path);
          }
        }
      }
    }

    private void follow(Line line, List<String> names, JsonNode owner, FieldPath path) {
      String name = names.getFirst();
      var rest = names.subList(1, names.size());
      if (name.endsWith(EACH)) {
        String field = name.substring(0, name.length() - EACH.length());
        var items = owner.path(field);
        for (int i = 0; i < items.size(); i++) {
          follow(line, rest, items.path(i), path.field(field).index(i));
        }
      } else if (!rest.isEmpty()) {
        follow(line, rest, owner.path(name), path.field(name));
      } else if (isSet(owner.path(name)) && holds(line, owner, owner.path(name))) {
        warnings.add(
            "%s: not honoured by Regroup's node (%s)".formatted(path.field(name), line.sentence()));
      }
    }

    private boolean holds(Line line, JsonNode owner, JsonNode value) {
      return line.condition()
          .map(condition -> condition.holds(subject(condition.field(), owner, value)))
          .orElse(true);
    }

    private JsonNode subject(String field, JsonNode owner, JsonNode value) {
      if (field.isEmpty()) {
        return value;
      }
      return field.startsWith(OF_POD)
          ? root.path(field.substring(OF_POD.length()))
          : owner.path(field);
    }
  }

  /** An empty list or text says nothing; an empty object may: {@code emptyDir: {}}. */
  private static boolean isSet(JsonNode value) {
    return !value.isMissingNode()
        && !value.isNull()
        && !(value.isArray() && value.isEmpty())
        && !(value.isTextual() && value.asText().isEmpty());
  }

  private static List<Line> read() {
    try (var in = requireNonNull(KnownFields.class.getResourceAsStream("fields.txt"))) {
      return new String(in.readAllBytes(), UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(KnownFields::line)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Line line(String text) {
    String[] parts = text.split("\\|", -1);
    String field = parts[1].strip();
    int beside = field.indexOf(" ? ");
    String path = field;
    Optional<Condition> condition = Optional.empty();
    if (beside >= 0) {
      path = field.substring(0, beside);
      condition = Optional.of(condition(field.substring(beside + 3)));
    } else if (field.contains("=")) {
      var own = condition(field);
      path = own.field();
      condition = Optional.of(new Condition("", own.operator(), own.value()));
    }
    return new Line(
        Type.valueOf(parts[0].strip().toUpperCase(Locale.ROOT)),
        path,
        condition,
        Verdict.valueOf(parts[2].strip().toUpperCase(Locale.ROOT)),
        parts.length > 3 ? parts[3].strip() : "");
  }

  private static Condition condition(String text) {
    int equals = text.indexOf('=');
    boolean not = text.charAt(equals - 1) == '!';
    return new Condition(
        text.substring(0, not ? equals - 1 : equals),
        not ? Operator.IS_NOT : Operator.IS,
        text.substring(equals + 1));
  }
}
