package dev.regroup.api.admission.field;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One thing that is wrong with an object. {@link #toString} is Kubernetes' text, {@code path: Kind:
 * value: detail} (node.md section 1.3).
 */
public record FieldError(Kind kind, FieldPath path, @Nullable Object badValue, String detail) {

  /** Kinds of errors with the name in {@code details.causes} and the words in the message. */
  public enum Kind {
    REQUIRED("FieldValueRequired", "Required value"),
    INVALID("FieldValueInvalid", "Invalid value"),
    NOT_SUPPORTED("FieldValueNotSupported", "Unsupported value"),
    FORBIDDEN("FieldValueForbidden", "Forbidden"),
    TOO_LONG("FieldValueTooLong", "Too long"),
    TOO_MANY("FieldValueTooMany", "Too many"),
    DUPLICATE("FieldValueDuplicate", "Duplicate value"),
    NOT_FOUND("FieldValueNotFound", "Not found"),
    TYPE_INVALID("FieldValueTypeInvalid", "Invalid value"),
    INTERNAL("InternalError", "Internal error");

    private final String cause;
    private final String words;

    Kind(String cause, String words) {
      this.cause = cause;
      this.words = words;
    }

    public String cause() {
      return cause;
    }
  }

  private static final Set<Kind> CONFUSING =
      EnumSet.of(
          Kind.NOT_SUPPORTED, Kind.REQUIRED, Kind.TOO_LONG, Kind.TOO_MANY, Kind.TYPE_INVALID);

  /** Stands for a value that would say nothing in a text. */
  public enum Omitted {
    VALUE
  }

  public static final Omitted OMITTED = Omitted.VALUE;

  public static FieldError required(FieldPath path, String detail) {
    return new FieldError(Kind.REQUIRED, path, null, detail);
  }

  public static FieldError invalid(FieldPath path, @Nullable Object value, String detail) {
    return new FieldError(Kind.INVALID, path, value, detail);
  }

  public static FieldError notSupported(
      FieldPath path, @Nullable Object value, List<String> supported) {
    String values = supported.stream().map(FieldError::quote).collect(Collectors.joining(", "));
    return new FieldError(Kind.NOT_SUPPORTED, path, value, "supported values: " + values);
  }

  public static FieldError forbidden(FieldPath path, String detail) {
    return new FieldError(Kind.FORBIDDEN, path, null, detail);
  }

  public static FieldError tooLong(FieldPath path, int maxBytes) {
    return new FieldError(Kind.TOO_LONG, path, null, "may not be more than " + maxBytes + " bytes");
  }

  public static FieldError tooMany(FieldPath path, int count, int max) {
    String items = max == 1 ? " item" : " items";
    return new FieldError(Kind.TOO_MANY, path, count, "must have at most " + max + items);
  }

  public static FieldError duplicate(FieldPath path, Object value) {
    return new FieldError(Kind.DUPLICATE, path, value, "");
  }

  public static FieldError notFound(FieldPath path, Object value) {
    return new FieldError(Kind.NOT_FOUND, path, value, "");
  }

  /** An error without a field, as JobSet's own checks report most of theirs (JS-43). */
  public static FieldError plain(String detail) {
    return new FieldError(Kind.INTERNAL, FieldPath.ROOT, null, detail);
  }

  /**
   * What is said when an object is so wrong that the rules of its schema cannot be asked; empty
   * when they can.
   */
  public static Optional<FieldError> unchecked(List<FieldError> sofar) {
    return sofar.stream().anyMatch(error -> CONFUSING.contains(error.kind()))
        ? Optional.of(
            invalid(
                FieldPath.ROOT,
                null,
                "some validation rules were not checked because the object was invalid; correct the"
                    + " existing errors to complete validation"))
        : Optional.empty();
  }

  /** The part after the path, as in {@code details.causes[].message}. */
  public String body() {
    var text = new StringBuilder(kind.words);
    switch (kind) {
      case REQUIRED, FORBIDDEN, TOO_LONG, INTERNAL -> {} // the value says nothing here
      case INVALID, NOT_SUPPORTED, TOO_MANY, DUPLICATE, NOT_FOUND, TYPE_INVALID ->
          text.append(badValue instanceof Omitted ? "" : ": " + print(badValue));
    }
    if (!detail.isEmpty()) {
      text.append(": ").append(detail);
    }
    return text.toString();
  }

  @Override
  public String toString() {
    return path + ": " + body();
  }

  /**
   * The value as Kubernetes prints one of its internal structures: names begin with a capital. Use
   * it where a whole structure is refused.
   */
  public static JsonNode internal(JsonNode value) {
    if (value instanceof ArrayNode array) {
      ArrayNode copy = JsonNodeFactory.instance.arrayNode();
      array.forEach(item -> copy.add(internal(item)));
      return copy;
    }
    if (!(value instanceof ObjectNode object)) {
      return value;
    }
    ObjectNode copy = JsonNodeFactory.instance.objectNode();
    for (Map.Entry<String, JsonNode> entry : object.properties()) {
      String name = entry.getKey();
      int first = Math.min(1, name.length()); // the key of a map may be empty
      copy.set(
          name.substring(0, first).toUpperCase(Locale.ROOT) + name.substring(first),
          internal(entry.getValue()));
    }
    return copy;
  }

  /** The value as Kubernetes prints a map: by key. */
  public static JsonNode sorted(JsonNode value) {
    if (!(value instanceof ObjectNode object)) {
      return value;
    }
    ObjectNode copy = JsonNodeFactory.instance.objectNode();
    object
        .propertyStream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(entry -> copy.set(entry.getKey(), sorted(entry.getValue())));
    return copy;
  }

  private static String print(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case String text -> quote(text);
      case JsonNode node when node.isTextual() -> quote(node.textValue());
      case JsonNode node -> Wire.text(node);
      case Number number -> number.toString();
      case Boolean bool -> bool.toString();
      default -> Wire.text(value);
    };
  }

  /** The text as Go's {@code %q} prints it. */
  public static String quote(String text) {
    var quoted = new StringBuilder("\"");
    text.codePoints()
        .forEach(c -> {
          switch (c) {
            case '"' -> quoted.append("\\\"");
            case '\\' -> quoted.append("\\\\");
            case '\n' -> quoted.append("\\n");
            case '\r' -> quoted.append("\\r");
            case '\t' -> quoted.append("\\t");
            default -> {
              if (c < 0x20 || c == 0x7f) {
                quoted.append("\\x%02x".formatted(c));
              } else {
                quoted.appendCodePoint(c);
              }
            }
          }
        });
    return quoted.append('"').toString();
  }
}
