package dev.regroup.client;

import java.util.Objects;

/**
 * Names one object of a resource.
 *
 * @param namespace empty for what lives outside namespaces
 */
public record ObjectKey(String namespace, String name) implements Comparable<ObjectKey> {

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
    int order = namespace.compareTo(other.namespace);
    return order != 0 ? order : name.compareTo(other.name);
  }

  /** As people write it: {@code namespace/name}, or the name alone. */
  @Override
  public String toString() {
    return namespace.isEmpty() ? name : namespace + "/" + name;
  }
}
