package dev.regroup.api.cel;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.primitives.UnsignedLong;
import dev.cel.common.values.CelByteString;
import dev.cel.common.values.NullValue;
import dev.regroup.api.cel.CelShape.Plain;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.AbstractList;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Base64;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.RandomAccess;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * JSON trees as expressions see them. Nothing is copied: lists and maps are views whose parts are
 * turned into values when an expression looks at them. A value of another type than its shape says
 * is passed on as it is, and the function that cannot use it says so.
 */
final class JsonValues {

  private JsonValues() {}

  static Object value(JsonNode node, CelShape shape) {
    if (shape instanceof CelShape.OptionalOf(CelShape inner)) {
      return node.isMissingNode() ? Optional.empty() : Optional.of(value(node, inner));
    }
    return switch (node) {
      case ObjectNode object -> new MapView(object, shape);
      case ArrayNode array ->
          new ListView(array, shape instanceof CelShape.ListOf(CelShape items) ? items : Plain.DYN);
      default -> scalar(node, shape);
    };
  }

  private static Object scalar(JsonNode node, CelShape shape) {
    if (node.isTextual()) {
      return text(node.textValue(), shape);
    }
    if (node.isBoolean()) {
      return node.booleanValue();
    }
    if (!node.isNumber()) {
      return NullValue.NULL_VALUE; // never Java's: the library takes it for a value not known yet
    }
    if (shape == Plain.DOUBLE || !node.isIntegralNumber()) {
      return node.doubleValue();
    }
    if (node.canConvertToLong()) {
      return node.longValue();
    }
    var number = node.bigIntegerValue();
    return number.signum() > 0 && number.bitLength() <= Long.SIZE
        ? UnsignedLong.valueOf(number)
        : node.doubleValue();
  }

  private static Object text(String text, CelShape shape) {
    try {
      if (shape == Plain.BYTES) {
        return CelByteString.of(Base64.getDecoder().decode(text));
      }
      if (shape == Plain.TIMESTAMP) {
        return time(text);
      }
    } catch (DateTimeException | IllegalArgumentException e) {
      return text; // whoever checks the object says that it is none
    }
    return shape == Plain.DURATION
        ? GoDurations.parse(text).<Object>map(d -> d).orElse(text)
        : text;
  }

  private static Instant time(String text) {
    return text.length() == "2006-01-02".length()
        ? LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant()
        : OffsetDateTime.parse(text).toInstant();
  }

  private static final class ListView extends AbstractList<Object> implements RandomAccess {
    private final ArrayNode array;
    private final CelShape items;

    ListView(ArrayNode array, CelShape items) {
      this.array = array;
      this.items = items;
    }

    @Override
    public Object get(int index) {
      return value(array.get(index), items);
    }

    @Override
    public int size() {
      return array.size();
    }
  }

  private static final class MapView extends AbstractMap<String, Object> {
    private final ObjectNode object;
    private final CelShape shape;

    MapView(ObjectNode object, CelShape shape) {
      this.object = object;
      this.shape = shape;
    }

    @Override
    public int size() {
      return object.size();
    }

    @Override
    public boolean containsKey(@Nullable Object key) {
      return key instanceof String name && object.has(wire(name));
    }

    @Override
    public @Nullable Object get(@Nullable Object key) {
      if (!(key instanceof String name)) {
        return null;
      }
      JsonNode found = object.get(wire(name));
      return found == null ? null : value(found, part(name));
    }

    private String wire(String name) {
      return shape instanceof CelShape.Structure(_, CelShape.Fields fields)
          ? fields.wire(name)
          : name;
    }

    private CelShape part(String name) {
      return switch (shape) {
        case CelShape.Structure(_, CelShape.Fields fields) ->
            fields.names().contains(name) ? fields.shape(name) : Plain.DYN;
        case CelShape.MapOf(CelShape values) -> values;
        case CelShape.ListOf _, CelShape.OptionalOf _, Plain _, ResultShape _ -> Plain.DYN;
      };
    }

    @Override
    public Set<Entry<String, Object>> entrySet() {
      return new AbstractSet<>() {
        @Override
        public Iterator<Entry<String, Object>> iterator() {
          var names = object.fieldNames();
          return new Iterator<>() {
            @Override
            public boolean hasNext() {
              return names.hasNext();
            }

            @Override
            public Entry<String, Object> next() {
              String name = names.next();
              return Map.entry(name, value(object.get(name), part(spelt(name))));
            }
          };
        }

        @Override
        public int size() {
          return object.size();
        }
      };
    }

    private String spelt(String wire) {
      return shape instanceof CelShape.Structure ? PropertyName.escape(wire).orElse(wire) : wire;
    }
  }
}
