package dev.regroup.api.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One named type. A type without fields is a scalar with its own text form (a quantity, a time) or
 * holds anything ({@code RawExtension}).
 */
public record Definition(
    String name,
    @Nullable String type,
    @Nullable String format,
    Map<String, Field> fields,
    List<String> required,
    boolean atomic,
    List<GroupVersionKind> kinds,
    ObjectNode json) {

  public Definition {
    fields = Collections.unmodifiableMap(fields);
    required = List.copyOf(required);
    kinds = List.copyOf(kinds);
  }

  public Optional<Field> field(String name) {
    return Optional.ofNullable(fields.get(name));
  }

  /** Whether this is a structure with named fields. */
  public boolean isStruct() {
    return !fields.isEmpty();
  }

  /** Whether it may have fields beside those that are named. */
  public boolean isOpen() {
    return json.path("open").asBoolean(false);
  }

  /** Reads the compact form of the schema's own files. */
  public static Definition of(String name, List<GroupVersionKind> kinds, ObjectNode json) {
    var fields = new LinkedHashMap<String, Field>();
    JsonNode declared = json.get("fields");
    if (declared != null) {
      declared
          .properties()
          .forEach(entry -> fields.put(entry.getKey(), Field.of(entry.getValue())));
    }
    return new Definition(
        name,
        Field.text(json, "type"),
        Field.text(json, "format"),
        fields,
        Field.texts(json.get("required")),
        "atomic".equals(Field.text(json, "mapType")),
        kinds,
        json);
  }
}
