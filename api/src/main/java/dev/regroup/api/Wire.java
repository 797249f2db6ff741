package dev.regroup.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * The one place that knows how objects become bytes and back. Absent and null are the same and are
 * not written, times stay text in the form Kubernetes uses, fields a class does not know are kept
 * where the class can hold them (all fabric8 classes can) and skipped otherwise.
 *
 * <p>Safe for use by many threads. Checks nothing: decoding rules are in {@code
 * dev.regroup.api.schema}.
 */
public final class Wire {

  private static final int BUFFERS = 16;

  /**
   * Reads objects with names of any length: the key of a list's item, which anybody may choose, is
   * part of a name in {@code managedFields}, and what is stored must be readable. Buffers come from
   * a pool: Jackson would leave some with every virtual thread.
   */
  public static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder().maxNameLength(Integer.MAX_VALUE).build())
          .recyclerPool(JsonRecyclerPools.newBoundedPool(BUFFERS))
          .build();

  private static final ObjectMapper MAPPER =
      JsonMapper.builder(FACTORY)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(
                  JsonInclude.Include.NON_NULL, JsonInclude.Include.NON_NULL))
          .build();

  /**
   * Only trees are checked for what follows the value: some classes of the Kubernetes library read
   * parts of themselves as values of their own and would stumble over their own end.
   */
  private static final ObjectReader TREE =
      MAPPER.readerFor(ObjectNode.class).with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private Wire() {}

  /** Reads an object as a tree: nothing is lost, order is kept. */
  public static ObjectNode tree(byte[] json) throws IOException {
    return TREE.readValue(json);
  }

  /** Reads an object of our own making, where broken text can only be a bug. */
  public static ObjectNode tree(String json) {
    try {
      return TREE.readValue(json);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The tree as an instance of a fabric8 class or of one of our records. */
  public static <T> T read(JsonNode tree, Class<T> type) {
    try {
      return MAPPER.treeToValue(tree, type);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The object as a tree; the tree is the caller's own. */
  public static ObjectNode toTree(Object object) {
    return MAPPER.valueToTree(object);
  }

  public static byte[] write(Object objectOrTree) {
    try {
      return MAPPER.writeValueAsBytes(objectOrTree);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static String text(Object objectOrTree) {
    try {
      return MAPPER.writeValueAsString(objectOrTree);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** An empty object to fill. */
  public static ObjectNode object() {
    return MAPPER.createObjectNode();
  }
}
