package dev.regroup.api.schema;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A parsed body: the tree and what the reader noticed, keys given twice (the last one wins). Made
 * here from JSON, elsewhere from YAML.
 *
 * @param duplicates texts such as {@code duplicate field "data.a"}, in document order
 */
public record Document(ObjectNode tree, List<String> duplicates) {

  private static final int MAX_DEPTH = 200;
  private static final int BUFFERS = 16;
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxNameLength(Integer.MAX_VALUE) // a body is bounded; what was stored comes back
                  .build())
          .recyclerPool(JsonRecyclerPools.newBoundedPool(BUFFERS)) // not one for each thread
          .build();

  public Document {
    duplicates = List.copyOf(duplicates);
  }

  /** Reads JSON; {@code null} is an empty object. */
  public static Document parse(byte[] json) throws Undecodable {
    var duplicates = new ArrayList<String>();
    JsonNode node = read(json, duplicates);
    if (node.isNull()) {
      return new Document(JsonNodeFactory.instance.objectNode(), duplicates);
    }
    if (!(node instanceof ObjectNode object)) {
      throw broken(
          "json: cannot unmarshal "
              + Decoder.jsonType(node)
              + " into Go value of type struct { APIVersion string; Kind string }");
    }
    return new Document(object, duplicates);
  }

  /** Reads any JSON, within the same limits; of keys given twice the last one wins. */
  public static JsonNode any(byte[] json) throws Undecodable {
    return read(json, new ArrayList<>());
  }

  /**
   * The text as Go reads it: half of a surrogate pair is no character, and what is stored with one
   * could never be read again.
   */
  public static String wellFormed(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        return text.codePoints()
            .map(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? 0xFFFD : c)
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString();
      }
    }
    return text;
  }

  private static JsonNode read(byte[] json, List<String> duplicates) throws Undecodable {
    try (JsonParser parser = FACTORY.createParser(json)) {
      JsonToken first = parser.nextToken();
      if (first == null) {
        throw broken("unexpected end of JSON input");
      }
      JsonNode node = value(parser, "", duplicates);
      if (parser.nextToken() != null) {
        throw broken("invalid character after top-level value");
      }
      return node;
    } catch (JsonEOFException e) {
      throw broken("unexpected end of JSON input");
    } catch (JsonParseException e) {
      throw broken(
          "invalid character in JSON input at line %d, column %d"
              .formatted(e.getLocation().getLineNr(), e.getLocation().getColumnNr()));
    } catch (TooLarge e) {
      throw broken(String.valueOf(e.getMessage()));
    } catch (IOException e) {
      throw broken("exceeded max depth");
    }
  }

  private static Undecodable broken(String why) {
    return new Undecodable("couldn't get version/kind; json parse error: " + why);
  }

  private static JsonNode value(JsonParser parser, String path, List<String> duplicates)
      throws IOException {
    var nodes = JsonNodeFactory.instance;
    return switch (parser.currentToken()) {
      case START_OBJECT -> object(parser, path, duplicates);
      case START_ARRAY -> array(parser, path, duplicates);
      case VALUE_STRING -> nodes.textNode(wellFormed(parser.getText()));
      case VALUE_TRUE -> nodes.booleanNode(true);
      case VALUE_FALSE -> nodes.booleanNode(false);
      case VALUE_NULL -> nodes.nullNode();
      case VALUE_NUMBER_INT ->
          switch (parser.getNumberType()) {
            case INT, LONG -> number(parser.getLongValue());
            default -> nodes.numberNode(parser.getBigIntegerValue());
          };
      case VALUE_NUMBER_FLOAT -> fraction(parser);
      default -> throw new JsonParseException(parser, "unexpected " + parser.currentToken());
    };
  }

  /**
   * Beyond what Go's numbers hold there is no number, only work: 1E999999999 has a billion digits.
   */
  private static JsonNode fraction(JsonParser parser) throws IOException {
    double value = parser.getDoubleValue();
    if (Double.isInfinite(value)) {
      throw new TooLarge(parser);
    }
    return Math.abs(value) < Double.MIN_NORMAL
        ? JsonNodeFactory.instance.numberNode(value)
        : JsonNodeFactory.instance.numberNode(parser.getDecimalValue());
  }

  /** A number no Go program can hold. */
  private static final class TooLarge extends IOException {
    private TooLarge(JsonParser parser) throws IOException {
      super(
          "json: cannot unmarshal number %s into Go value of type float64"
              .formatted(parser.getText()));
    }
  }

  private static JsonNode number(long value) {
    return value == (int) value
        ? JsonNodeFactory.instance.numberNode((int) value)
        : JsonNodeFactory.instance.numberNode(value);
  }

  private static ObjectNode object(JsonParser parser, String path, List<String> duplicates)
      throws IOException {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName(); // half a pair is refused in names
      String at = path.isEmpty() ? name : path + "." + name;
      parser.nextToken();
      if (object.replace(name, value(parser, at, duplicates)) != null) {
        duplicates.add("duplicate field \"" + at + "\"");
      }
    }
    return object;
  }

  private static ArrayNode array(JsonParser parser, String path, List<String> duplicates)
      throws IOException {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      array.add(value(parser, path + "[" + array.size() + "]", duplicates));
    }
    return array;
  }
}
