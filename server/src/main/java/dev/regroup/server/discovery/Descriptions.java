package dev.regroup.server.discovery;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What {@code kubectl explain} says of types and fields, in words of our own: all of what restarts
 * are about, and a line for every kind. Read from {@code descriptions.txt} beside this class.
 *
 * @param texts by definition, or by definition and field with a dot between
 */
record Descriptions(Map<String, String> texts) {
  private static final String FILE = "descriptions.txt";
  private static final String FIELD = "  ";

  static Descriptions read() {
    var texts = new HashMap<String, String>();
    String type = "";
    for (String line : file().lines().toList()) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      var parts = line.strip().split(": ", 2);
      type = line.startsWith(FIELD) ? type : parts[0];
      if (parts.length == 2) {
        texts.put(line.startsWith(FIELD) ? type + "." + parts[0] : type, parts[1]);
      }
    }
    return new Descriptions(Map.copyOf(texts));
  }

  Optional<String> of(String definition) {
    return Optional.ofNullable(texts.get(definition));
  }

  Optional<String> of(String definition, String field) {
    return of(definition + "." + field);
  }

  private static String file() {
    try (var file = Descriptions.class.getResourceAsStream(FILE)) {
      if (file == null) {
        throw new IllegalStateException(FILE + " is not packaged");
      }
      return new String(file.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
