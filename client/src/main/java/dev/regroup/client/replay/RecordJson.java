package dev.regroup.client.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Records as JSON and back, driven by their declared types: whatever a planner takes can be written
 * down without a writer per record, and a new field needs no second place. A choice (sealed
 * interface) carries the name of its case in {@code is}; a map whose keys are records is a list of
 * pairs. A type that is none of these is a bug of the caller.
 */
final class RecordJson {

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final String CASE = "is";

  private RecordJson() {}

  static JsonNode write(Record value) {
    return write(value, value.getClass());
  }

  static <T extends Record> T read(JsonNode json, Class<T> type) {
    return type.cast(Objects.requireNonNull(read(json, (Type) type)));
  }

  private static JsonNode write(@Nullable Object value, Type type) {
    return switch (value) {
      case null -> NODES.nullNode();
      case String text -> NODES.textNode(text);
      case Boolean truth -> NODES.booleanNode(truth);
      case Integer number -> NODES.numberNode(number);
      case Long number -> NODES.numberNode(number);
      case Double number -> NODES.numberNode(number);
      case Enum<?> word -> NODES.textNode(word.name());
      case Instant time -> NODES.textNode(time.toString());
      case Duration time -> NODES.textNode(time.toString());
      case OptionalInt number ->
          number.isPresent() ? NODES.numberNode(number.getAsInt()) : NODES.nullNode();
      case Optional<?> some -> write(some.orElse(null), argument(type, 0));
      case Collection<?> many -> {
        var array = NODES.arrayNode();
        many.forEach(one -> array.add(write(one, argument(type, 0))));
        yield array;
      }
      case Map<?, ?> map -> writeMap(map, argument(type, 0), argument(type, 1));
      case Record one -> writeRecord(one, raw(type));
      default -> throw new IllegalArgumentException(value.getClass() + ": not a value");
    };
  }

  private static JsonNode writeMap(Map<?, ?> map, Type key, Type value) {
    if (isWord(key)) {
      var object = NODES.objectNode();
      map.forEach((k, v) -> object.set(write(k, key).asText(), write(v, value)));
      return object;
    }
    var pairs = NODES.arrayNode();
    map.forEach((k, v) -> pairs.addArray().add(write(k, key)).add(write(v, value)));
    return pairs;
  }

  private static ObjectNode writeRecord(Record value, Class<?> declared) {
    var object = NODES.objectNode();
    if (declared.isSealed()) {
      object.put(CASE, value.getClass().getSimpleName());
    }
    for (var part : value.getClass().getRecordComponents()) {
      object.set(part.getName(), write(valueOf(part, value), part.getGenericType()));
    }
    return object;
  }

  private static @Nullable Object valueOf(RecordComponent part, Record value) {
    try {
      part.getAccessor().setAccessible(true);
      return part.getAccessor().invoke(value);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(part.toString(), e);
    }
  }

  private static @Nullable Object read(JsonNode json, Type type) {
    Class<?> raw = raw(type);
    if (raw == Optional.class) {
      return Optional.ofNullable(json.isNull() ? null : read(json, argument(type, 0)));
    }
    if (raw == OptionalInt.class) {
      return json.isNull() ? OptionalInt.empty() : OptionalInt.of(json.asInt());
    }
    if (json.isNull()) {
      return null;
    }
    if (json.isMissingNode()) {
      throw new IllegalArgumentException(type + ": not in the file");
    }
    if (Map.class.isAssignableFrom(raw)) {
      return readMap(json, raw, argument(type, 0), argument(type, 1));
    }
    if (Collection.class.isAssignableFrom(raw)) {
      return readMany(json, raw, argument(type, 0));
    }
    return raw.isRecord() || raw.isSealed() ? readRecord(json, raw) : readWord(json, raw);
  }

  private static Object readWord(JsonNode json, Class<?> raw) {
    if (raw == String.class) {
      return json.asText();
    } else if (raw == boolean.class || raw == Boolean.class) {
      return json.asBoolean();
    } else if (raw == int.class || raw == Integer.class) {
      return json.asInt();
    } else if (raw == long.class || raw == Long.class) {
      return json.asLong();
    } else if (raw == double.class || raw == Double.class) {
      return json.asDouble();
    } else if (raw == Instant.class) {
      return Instant.parse(json.asText());
    } else if (raw == Duration.class) {
      return Duration.parse(json.asText());
    }
    return Arrays.stream(Objects.requireNonNullElse(raw.getEnumConstants(), new Object[0]))
        .filter(word -> ((Enum<?>) word).name().equals(json.asText()))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException(raw + ": not a value"));
  }

  private static Collection<@Nullable Object> readMany(JsonNode json, Class<?> raw, Type element) {
    Collection<@Nullable Object> many =
        Set.class.isAssignableFrom(raw) ? new LinkedHashSet<>() : new ArrayList<>();
    json.forEach(one -> many.add(read(one, element)));
    return many;
  }

  private static Map<Object, @Nullable Object> readMap(
      JsonNode json, Class<?> raw, Type key, Type value) {
    Map<Object, @Nullable Object> map =
        raw == NavigableMap.class || raw == SortedMap.class
            ? new TreeMap<>()
            : new LinkedHashMap<>();
    if (isWord(key)) {
      json.properties()
          .forEach(entry ->
              map.put(
                  readWord(NODES.textNode(entry.getKey()), raw(key)), // "7" reads as 7
                  read(entry.getValue(), value)));
    } else {
      for (var pair : json) {
        map.put(Objects.requireNonNull(read(pair.get(0), key)), read(pair.get(1), value));
      }
    }
    return map;
  }

  private static Object readRecord(JsonNode json, Class<?> declared) {
    var type =
        declared.isSealed()
            ? cases(declared)
                .filter(one -> one.getSimpleName().equals(json.path(CASE).asText()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(declared + ": " + json.path(CASE)))
            : declared;
    var parts = type.getRecordComponents();
    try {
      var make =
          type.getDeclaredConstructor(
              Arrays.stream(parts).map(RecordComponent::getType).toArray(Class<?>[]::new));
      make.setAccessible(true);
      return make.newInstance(
          Arrays.stream(parts)
              .map(part -> read(json.path(part.getName()), part.getGenericType()))
              .toArray());
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException(type + ": " + e.getCause(), e);
    }
  }

  private static Stream<Class<?>> cases(Class<?> type) {
    return type.isSealed()
        ? Arrays.stream(type.getPermittedSubclasses()).flatMap(RecordJson::cases)
        : Stream.of(type);
  }

  private static boolean isWord(Type key) {
    return raw(key) == String.class || raw(key) == Integer.class || raw(key).isEnum();
  }

  private static Class<?> raw(Type type) {
    return switch (type) {
      case Class<?> plain -> plain;
      case ParameterizedType generic -> (Class<?>) generic.getRawType();
      case WildcardType wild -> raw(wild.getUpperBounds()[0]);
      default -> throw new IllegalArgumentException(type + ": not a value");
    };
  }

  private static Type argument(Type type, int position) {
    return type instanceof ParameterizedType generic
        ? generic.getActualTypeArguments()[position]
        : Object.class;
  }
}
