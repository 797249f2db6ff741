package dev.regroup.api.protobuf;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import dev.regroup.api.schema.GroupVersionKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The messages of Kubernetes 1.36 by name and by kind. One line of the table is one message: its
 * name, its kinds, its fields as {@code number:name:type}. A type begins with {@code *} for lists
 * and {@code %} for maps; a last {@code ?} says that zero is a value, {@code ~} that zero is not
 * shown in JSON. Kinds that belong to every group, such as {@code DeleteOptions}, have stars.
 *
 * <p>The index is made when the first message is asked for, a line is parsed when its message is.
 * Safe for use by many threads.
 */
final class Messages {

  private static final String TABLE = "kubernetes-1.36.txt";
  private static final String ANY = "*";

  /** Loaded with the first body. */
  private static final class Kubernetes {
    private static final Messages TABLE_OF_1_36 = new Messages();
  }

  private final Map<String, String> columns = new HashMap<>();
  private final Map<GroupVersionKind, String> kinds = new HashMap<>();
  private final Map<String, Message> parsed = new ConcurrentHashMap<>();

  private Messages() {
    try (var in = requireNonNull(Messages.class.getResourceAsStream(TABLE), TABLE)) {
      new String(in.readAllBytes(), UTF_8).lines().forEach(this::index);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Messages kubernetes() {
    return Kubernetes.TABLE_OF_1_36;
  }

  private void index(String line) {
    int kindColumn = line.indexOf(' ') + 1;
    int fieldColumn = line.indexOf(' ', kindColumn) + 1;
    String name = line.substring(0, kindColumn - 1);
    columns.put(name, line.substring(fieldColumn));
    String kind = line.substring(kindColumn, fieldColumn - 1);
    if (!kind.equals("-")) {
      String[] parts = kind.split("/", -1);
      kinds.put(new GroupVersionKind(parts[0], parts[1], parts[2]), name);
    }
  }

  /** The message of a kind, if it has one; custom resources have none. */
  Optional<Message> ofKind(GroupVersionKind kind) {
    String name = kinds.get(kind);
    if (name == null) {
      name = kinds.get(new GroupVersionKind(ANY, ANY, kind.kind()));
    }
    return Optional.ofNullable(name).map(this::named);
  }

  Message named(String name) {
    Message known = parsed.get(name); // asked for every object inside of an object
    if (known != null) {
      return known;
    }
    return parsed.computeIfAbsent(
        name, key -> Message.of(key, requireNonNull(columns.get(key), key)));
  }

  Set<GroupVersionKind> kinds() {
    return Set.copyOf(kinds.keySet());
  }
}
