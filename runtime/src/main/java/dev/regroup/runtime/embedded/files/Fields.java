package dev.regroup.runtime.embedded.files;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A small text file of {@code name value} lines, names may repeat, ended by a line {@code end}. A
 * file without its end was cut off by a crash and reads as absent. Readable by the owner only: the
 * environment of a container may hold secrets.
 */
public final class Fields {

  private static final String END = "end";

  private record Field(String name, String value) {}

  private final List<Field> fields = new ArrayList<>();

  public Fields add(String name, Object value) {
    fields.add(new Field(name, String.valueOf(value)));
    return this;
  }

  /** One field for each entry; what is called the same must be read with {@link #map}. */
  public Fields addAll(String name, Map<String, String> entries) {
    entries.forEach((key, value) -> add(name, key + "=" + value));
    return this;
  }

  public String one(String name) {
    return first(name).orElseThrow(() -> new IllegalStateException("record without " + name));
  }

  public Optional<String> first(String name) {
    return fields.stream().filter(f -> f.name().equals(name)).map(Field::value).findFirst();
  }

  public List<String> all(String name) {
    return fields.stream().filter(f -> f.name().equals(name)).map(Field::value).toList();
  }

  /** The entries of {@link #addAll}, in their order. */
  public Map<String, String> map(String name) {
    var entries = new LinkedHashMap<String, String>();
    for (String entry : all(name)) {
      int equals = entry.indexOf('=');
      entries.put(entry.substring(0, equals), entry.substring(equals + 1));
    }
    return entries;
  }

  public void write(Path file) throws IOException {
    var text = new StringBuilder();
    for (var field : fields) {
      text.append(field.name()).append(' ').append(escaped(field.value())).append('\n');
    }
    text.append(END).append('\n');
    var ownerOnly =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    var options =
        EnumSet.of(
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING);
    try (var channel = Files.newByteChannel(file, options, ownerOnly)) {
      var bytes = java.nio.ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
  }

  public static Optional<Fields> read(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      return Optional.empty();
    }
    var lines = Files.readString(file).lines().toList();
    if (lines.isEmpty() || !lines.getLast().equals(END)) {
      return Optional.empty();
    }
    var fields = new Fields();
    for (String line : lines.subList(0, lines.size() - 1)) {
      int space = line.indexOf(' ');
      if (space < 1) {
        return Optional.empty();
      }
      fields.add(line.substring(0, space), plain(line.substring(space + 1)));
    }
    return Optional.of(fields);
  }

  private static String escaped(String value) {
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r");
  }

  private static String plain(String value) {
    if (value.indexOf('\\') < 0) {
      return value;
    }
    var text = new StringBuilder();
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c != '\\' || i + 1 == value.length()) {
        text.append(c);
        continue;
      }
      char next = value.charAt(++i);
      text.append(
          switch (next) {
            case 'n' -> '\n';
            case 'r' -> '\r';
            default -> next;
          });
    }
    return text.toString();
  }
}
