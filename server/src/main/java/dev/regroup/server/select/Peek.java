package dev.regroup.server.select;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.regroup.api.Wire;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Reads labels and single fields out of stored bytes without building the object. */
public final class Peek {
  private static final String LABELS = "metadata.labels";

  /** What was asked for and found. */
  public record Found(Map<String, String> labels, Map<String, String> fields) {}

  private Peek() {}

  /**
   * Reads the labels and the scalar fields at these dotted paths; what is absent stays absent.
   * Stored bytes are of our own making, so unreadable ones are a bug or a broken disk.
   */
  public static Found read(byte[] object, Set<String> paths) {
    try (var parser = Wire.FACTORY.createParser(object)) {
      var found = new Found(new HashMap<>(), new HashMap<>());
      parser.nextToken();
      walk(parser, "", paths, found);
      return found;
    } catch (IOException e) {
      throw new UncheckedIOException("a stored object is no JSON", e);
    }
  }

  private static void walk(JsonParser parser, String prefix, Set<String> paths, Found found)
      throws IOException {
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      var path = prefix.isEmpty() ? parser.currentName() : prefix + "." + parser.currentName();
      var token = parser.nextToken();
      if (token == JsonToken.START_OBJECT) {
        if (path.equals(LABELS)) {
          labels(parser, found.labels());
        } else if (leadsSomewhere(path, paths)) {
          walk(parser, path, paths, found);
        } else {
          parser.skipChildren();
        }
      } else if (token == JsonToken.START_ARRAY) {
        parser.skipChildren();
      } else if (paths.contains(path) && token != JsonToken.VALUE_NULL) {
        found.fields().put(path, parser.getText());
      }
    }
  }

  private static void labels(JsonParser parser, Map<String, String> labels) throws IOException {
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      var key = parser.currentName();
      parser.nextToken();
      labels.put(key, parser.getText());
    }
  }

  private static boolean leadsSomewhere(String path, Set<String> paths) {
    if (path.equals("metadata")) {
      return true;
    }
    for (var wanted : paths) {
      if (wanted.length() > path.length()
          && wanted.charAt(path.length()) == '.'
          && wanted.startsWith(path)) {
        return true;
      }
    }
    return false;
  }
}
