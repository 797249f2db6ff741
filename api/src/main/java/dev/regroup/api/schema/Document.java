package dev.regroup.api.schema;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * A parsed body: the tree and what the reader noticed, keys given twice (the last one wins). Made
 * here from JSON, elsewhere from YAML.
 *
 * @param duplicates texts such as {@code duplicate field "data.a"}, in document order
 * @param places where there are duplicates in JSON: what could be said of each field, that nobody
 *     knows it or that it was there before, in document order
 */
public record Document(ObjectNode tree, List<String> duplicates, List<String> places) {

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
    places = List.copyOf(places);
  }

  public Document(ObjectNode tree, List<String> duplicates) {
    this(tree, duplicates, List.of());
  }

  /** These problems and those of keys given twice, in the order of the text. */
  List<String> inOrder(List<String> unknown) {
    var problems = new ArrayList<>(duplicates);
    problems.addAll(unknown);
    if (!places.isEmpty() && !unknown.isEmpty()) {
      problems.sort(Comparator.comparingInt(places::indexOf));
    }
    return problems;
  }

  /** Reads JSON; {@code null} is an empty object. */
  public static Document parse(byte[] json) throws Undecodable {
    var duplicates = new ArrayList<String>();
    JsonNode node = read(json, new Duplicates(duplicates));
    if (node.isNull()) {
      return new Document(JsonNodeFactory.instance.objectNode(), duplicates);
    }
    if (!(node instanceof ObjectNode object)) {
      throw broken(
          "json: cannot unmarshal "
              + Decoder.jsonType(node)
              + " into Go value of type struct { APIVersion string; Kind string }");
    }
    return duplicates.isEmpty()
        ? new Document(object, duplicates)
        : new Document(object, duplicates, places(json));
  }

  private static List<String> places(byte[] json) throws Undecodable {
    var all = new ArrayList<String>();
    var _ = read(json, new Places(all));
    return all;
  }

  /** Told of each field, and of each that was there before. */
  private sealed interface Noticing {
    void field(String path);

    void again(String path);
  }

  private record Duplicates(List<String> texts) implements Noticing {
    @Override
    public void field(String path) {}

    @Override
    public void again(String path) {
      texts.add(duplicate(path));
    }
  }

  private record Places(List<String> all) implements Noticing {
    @Override
    public void field(String path) {
      all.add(Conformer.unknown(path));
    }

    @Override
    public void again(String path) {
      all.add(duplicate(path));
    }
  }

  private static String duplicate(String path) {
    return "duplicate field \"" + path + "\"";
  }

  /** Reads any JSON, within the same limits; of keys given twice the last one wins. */
  public static JsonNode any(byte[] json) throws Undecodable {
    return any(json, new ArrayList<>());
  }

  /** The same; keys given twice are added to the list. */
  public static JsonNode any(byte[] json, List<String> duplicates) throws Undecodable {
    return read(json, new Duplicates(duplicates));
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

  private static JsonNode read(byte[] json, Noticing noticing) throws Undecodable {
    try (JsonParser parser = FACTORY.createParser(json)) {
      JsonToken first = parser.nextToken();
      if (first == null) {
        throw broken("unexpected end of JSON input");
      }
      JsonNode node = value(parser, "", noticing);
      if (parser.nextToken() != null) {
        throw new JsonParseException(parser, "more than one value");
      }
      return node;
    } catch (JsonParseException e) {
      String problem = JsonSyntax.problem(json);
      if (problem != null) {
        throw broken(problem);
      }
      return readable(json, noticing, e);
    } catch (TooLarge e) {
      throw broken(String.valueOf(e.getMessage()));
    } catch (IOException e) {
      throw broken("exceeded max depth");
    }
  }

  /**
   * Bytes that are no characters are read as Go reads them: each is the sign for "no character".
   */
  private static JsonNode readable(byte[] json, Noticing noticing, JsonParseException unreadable)
      throws Undecodable {
    byte[] replaced = new String(json, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8);
    if (Arrays.equals(json, replaced)) {
      throw broken(
          "invalid character in JSON input at line %d, column %d"
              .formatted(
                  unreadable.getLocation().getLineNr(), unreadable.getLocation().getColumnNr()));
    }
    switch (noticing) {
      case Duplicates(var texts) -> texts.clear();
      case Places(var all) -> all.clear();
    }
    return read(replaced, noticing);
  }

  private static Undecodable broken(String why) {
    return new Undecodable("couldn't get version/kind; json parse error: " + why);
  }

  private static JsonNode value(JsonParser parser, String path, Noticing noticing)
      throws IOException {
    var nodes = JsonNodeFactory.instance;
    return switch (parser.currentToken()) {
      case START_OBJECT -> object(parser, path, noticing);
      case START_ARRAY -> array(parser, path, noticing);
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

  private static ObjectNode object(JsonParser parser, String path, Noticing noticing)
      throws IOException {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName(); // half a pair is refused in names
      String at = path.isEmpty() ? name : path + "." + name;
      parser.nextToken();
      if (object.has(name)) {
        noticing.again(at);
      } else {
        noticing.field(at);
      }
      object.set(name, value(parser, at, noticing));
    }
    return object;
  }

  private static ArrayNode array(JsonParser parser, String path, Noticing noticing)
      throws IOException {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      array.add(value(parser, path + "[" + array.size() + "]", noticing));
    }
    return array;
  }
}
