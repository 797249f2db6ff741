package dev.regroup.client;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;

/** Turns the bytes of one object into a value and back. Used by any number of threads. */
public interface Codec<T> {

  /** Objects as trees: nothing is lost, nothing is assumed. */
  Codec<ObjectNode> TREE = json(ServerJson.MAPPER, ObjectNode.class);

  /** Reads JSON; an {@code IOException} says what is wrong with it. */
  T read(byte[] json) throws IOException;

  byte[] write(T object) throws IOException;

  /** Objects of a class that Jackson knows how to read. */
  static <T> Codec<T> json(ObjectMapper mapper, Class<T> type) {
    var reader = mapper.readerFor(type);
    var writer = mapper.writerFor(type);
    return new Codec<>() {
      @Override
      public T read(byte[] json) throws IOException {
        return reader.readValue(json);
      }

      @Override
      public byte[] write(T object) throws IOException {
        return writer.writeValueAsBytes(object);
      }
    };
  }
}
