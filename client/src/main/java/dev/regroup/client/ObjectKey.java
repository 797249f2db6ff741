package dev.regroup.client;

import java.util.Comparator;
import java.util.Objects;

/**
 * Names one object of a resource.
 *
 * @param namespace empty for what lives outside namespaces
 */
public record ObjectKey(String namespace, String name) implements Comparable<ObjectKey> {

  private static final Comparator<ObjectKey> ORDER =
      Comparator.comparing(ObjectKey::namespace).thenComparing(ObjectKey::name);

  public ObjectKey {
    Objects.requireNonNull(namespace, "namespace");
    if (name.isEmpty()) {
      throw new IllegalArgumentException("name: must not be empty");
    }
  }

  /** Names an object outside namespaces, such as a node. */
  public static ObjectKey cluster(String name) {
    return new ObjectKey("", name);
  }

  @Override
  public int compareTo(ObjectKey other) {
    return ORDER.compare(this, other);
  }

  /** As people write it: {@code namespace/name}, or the name alone. */
  @Override
  public String toString() {
    return namespace.isEmpty() ? name : namespace + "/" + name;
  }
}
