package dev.regroup.api.protobuf;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.Document;
import dev.regroup.api.schema.Times;
import dev.regroup.api.schema.Undecodable;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How a message looks in JSON: mostly as an object with its fields, but some types have a form of
 * their own. A message is read into an object with its fields first and that is then {@link #shown}
 * as JSON has it; when it is written, {@link #fields} are what JSON stands for.
 */
enum JsonForm {
  /** An object with the fields of the message. */
  OBJECT,
  /** Seconds and nanoseconds; a text with whole seconds. Without fields it is no time. */
  TIME,
  /** The same; a text with microseconds. */
  MICRO_TIME,
  /** A text. */
  QUANTITY,
  /** A type that says which of the two, a number, a text. */
  INT_OR_STRING,
  /** Bytes of JSON; any value. */
  RAW,
  /** Texts; a list. */
  TEXTS,
  /** One schema or several. */
  SCHEMA_OR_LIST,
  /** Yes or no, and perhaps a schema. */
  SCHEMA_OR_BOOL,
  /** A schema or texts. */
  SCHEMA_OR_TEXTS;

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  /** The first second of year 1, Go's zero time. */
  private static final long NO_TIME = -62_135_596_800L;

  /** The first second of year 10000, which no text of a time can say. */
  private static final long END_OF_TIME = 253_402_300_800L;

  static JsonForm ofMessage(String name) {
    return switch (name) {
      case "meta.v1.Time" -> TIME;
      case "meta.v1.MicroTime" -> MICRO_TIME;
      case "resource.Quantity" -> QUANTITY;
      case "intstr.IntOrString" -> INT_OR_STRING;
      case "runtime.RawExtension", "meta.v1.FieldsV1", "apiextensions.v1.JSON" -> RAW;
      case "meta.v1.Verbs", "authentication.v1.ExtraValue", "authorization.v1.ExtraValue" -> TEXTS;
      case "apiextensions.v1.JSONSchemaPropsOrArray" -> SCHEMA_OR_LIST;
      case "apiextensions.v1.JSONSchemaPropsOrBool" -> SCHEMA_OR_BOOL;
      case "apiextensions.v1.JSONSchemaPropsOrStringArray" -> SCHEMA_OR_TEXTS;
      default -> OBJECT;
    };
  }

  /** The JSON of a message with these fields, or null when that is nothing. */
  @Nullable JsonNode shown(ObjectNode fields) throws Undecodable {
    return switch (this) {
      case OBJECT -> fields;
      case TIME -> time(fields, Times::seconds);
      case MICRO_TIME -> time(fields, Times::micros);
      case QUANTITY -> JSON.textNode(fields.path("string").asText("0"));
      case INT_OR_STRING -> intOrString(fields);
      case RAW -> raw(fields);
      case TEXTS -> fields.has("items") ? fields.path("items") : JSON.arrayNode();
      case SCHEMA_OR_LIST -> fields.has("schemas") ? fields.get("schemas") : fields.get("schema");
      case SCHEMA_OR_BOOL -> fields.has("schema") ? fields.get("schema") : fields.path("allows");
      case SCHEMA_OR_TEXTS ->
          fields.has("property") ? fields.get("property") : fields.get("schema");
    };
  }

  /** The fields of the message for this value of JSON; null is none. */
  ObjectNode fields(@Nullable JsonNode shown) {
    if (this == OBJECT && shown instanceof ObjectNode object) {
      return object;
    }
    ObjectNode fields = JSON.objectNode();
    if (shown == null) {
      return this == QUANTITY ? fields.put("string", "0") : fields;
    }
    return switch (this) {
      case OBJECT -> fields;
      case TIME -> timeFields(fields, shown, _ -> 0);
      case MICRO_TIME -> timeFields(fields, shown, Instant::getNano);
      case QUANTITY -> fields.put("string", shown.asText());
      case INT_OR_STRING ->
          shown.isTextual()
              ? fields.put("type", 1).put("strVal", shown.textValue())
              : fields.put("intVal", shown.intValue());
      case RAW -> fields.put("raw", Base64.getEncoder().encodeToString(Wire.write(shown)));
      case TEXTS -> fields.set("items", shown);
      case SCHEMA_OR_LIST -> fields.set(shown.isArray() ? "schemas" : "schema", shown);
      case SCHEMA_OR_BOOL ->
          shown.isObject()
              ? fields.put("allows", true).set("schema", shown)
              : fields.put("allows", shown.asBoolean());
      case SCHEMA_OR_TEXTS -> fields.set(shown.isArray() ? "property" : "schema", shown);
    };
  }

  private static @Nullable JsonNode time(ObjectNode fields, Function<Instant, String> text)
      throws Undecodable {
    long seconds = fields.path("seconds").asLong();
    if (fields.isEmpty() || seconds == NO_TIME) {
      return null;
    }
    if (seconds < NO_TIME || seconds >= END_OF_TIME) {
      throw new Undecodable("Time.MarshalJSON: year outside of range [0,9999]");
    }
    var time = Instant.ofEpochSecond(seconds, fields.path("nanos").asLong());
    return JSON.textNode(text.apply(time));
  }

  private static ObjectNode timeFields(
      ObjectNode fields, JsonNode shown, Function<Instant, Integer> nanos) {
    Optional<Instant> time = Times.parse(shown.asText());
    time.ifPresent(instant ->
        fields.put("seconds", instant.getEpochSecond()).put("nanos", nanos.apply(instant)));
    return fields;
  }

  private static JsonNode intOrString(ObjectNode fields) throws Undecodable {
    return switch (fields.path("type").intValue()) {
      case 0 -> fields.path("intVal");
      case 1 -> fields.path("strVal");
      default -> throw new Undecodable("impossible IntOrString.Type");
    };
  }

  private static @Nullable JsonNode raw(ObjectNode fields) throws Undecodable {
    byte[] json = Base64.getDecoder().decode(fields.path("raw").asText(""));
    if (json.length == 0) {
      return null;
    }
    JsonNode value = Document.any(json);
    return value.isNull() ? null : value;
  }
}
