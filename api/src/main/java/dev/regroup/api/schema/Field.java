package dev.regroup.api.schema;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One field, list item or map value of the schema. Either {@code ref} names a definition or {@code
 * type} is {@code string}, {@code integer}, {@code number}, {@code boolean}, {@code array} or
 * {@code object}; an object without {@code values} holds anything.
 */
public record Field(
    @Nullable String type,
    @Nullable String format,
    @Nullable String ref,
    @Nullable Field items,
    @Nullable Field values,
    ListType listType,
    List<String> listMapKeys,
    boolean atomicMap,
    List<String> patchStrategy,
    @Nullable String patchMergeKey,
    @Nullable JsonNode defaultValue,
    List<String> allowed,
    @Nullable Long minimum,
    @Nullable Integer maxItems) {

  /** How two versions of a list are merged. */
  public enum ListType {
    /** No statement; as atomic for server-side apply. */
    UNSET,
    ATOMIC,
    SET,
    MAP
  }

  public Field {
    listMapKeys = List.copyOf(listMapKeys);
    patchStrategy = List.copyOf(patchStrategy);
    allowed = List.copyOf(allowed);
  }

  /** Whether a strategic merge patch merges this list or map by key. */
  public boolean mergesOnPatch() {
    return patchStrategy.contains("merge");
  }

  public boolean isList() {
    return "array".equals(type);
  }

  /** What the server fills in when the field is absent. */
  public Optional<JsonNode> fallback() {
    return Optional.ofNullable(defaultValue);
  }

  /** The same field with other allowed values; none means any. */
  public Field allowing(List<String> values) {
    return new Field(
        type,
        format,
        ref,
        items,
        this.values,
        listType,
        listMapKeys,
        atomicMap,
        patchStrategy,
        patchMergeKey,
        defaultValue,
        values,
        minimum,
        maxItems);
  }

  static Field of(JsonNode json) {
    return new Field(
        text(json, "type"),
        text(json, "format"),
        text(json, "ref"),
        json.has("items") ? of(json.get("items")) : null,
        json.has("values") ? of(json.get("values")) : null,
        listType(text(json, "listType")),
        texts(json.get("listMapKeys")),
        "atomic".equals(text(json, "mapType")),
        patchStrategy(text(json, "patchStrategy")),
        text(json, "patchMergeKey"),
        json.get("default"),
        texts(json.get("enum")),
        json.has("minimum") ? json.get("minimum").longValue() : null,
        json.has("maxItems") ? json.get("maxItems").intValue() : null);
  }

  private static ListType listType(@Nullable String name) {
    if (name == null) {
      return ListType.UNSET;
    }
    return switch (name) {
      case "atomic" -> ListType.ATOMIC;
      case "set" -> ListType.SET;
      case "map" -> ListType.MAP;
      default -> throw new IllegalArgumentException("listType " + name);
    };
  }

  private static List<String> patchStrategy(@Nullable String strategies) {
    return strategies == null ? List.of() : List.of(strategies.split(",", -1));
  }

  static @Nullable String text(JsonNode json, String key) {
    JsonNode value = json.get(key);
    return value == null ? null : value.textValue();
  }

  static List<String> texts(@Nullable JsonNode list) {
    var texts = new ArrayList<String>();
    if (list != null) {
      list.forEach(item -> texts.add(item.asText()));
    }
    return texts;
  }
}
