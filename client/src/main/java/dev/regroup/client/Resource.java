package dev.regroup.client;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * One kind of object as an API server offers it, and how to read it.
 *
 * @param group empty for the core group
 * @param scope whether its objects live in namespaces
 */
public record Resource<T>(
    String group, String version, String plural, Scope scope, Codec<T> codec) {

  public enum Scope {
    NAMESPACED,
    CLUSTER
  }

  public Resource {
    Objects.requireNonNull(group, "group");
    Objects.requireNonNull(version, "version");
    Objects.requireNonNull(plural, "plural");
    Objects.requireNonNull(scope, "scope");
    Objects.requireNonNull(codec, "codec");
  }

  public static <T> Resource<T> namespaced(
      String group, String version, String plural, Codec<T> codec) {
    return new Resource<>(group, version, plural, Scope.NAMESPACED, codec);
  }

  public static <T> Resource<T> cluster(
      String group, String version, String plural, Codec<T> codec) {
    return new Resource<>(group, version, plural, Scope.CLUSTER, codec);
  }

  /** The same resource, read another way. */
  public <U> Resource<U> as(Codec<U> other) {
    return new Resource<>(group, version, plural, scope, other);
  }

  /** The path of all objects; an empty namespace means all namespaces. */
  public String path(String namespace) {
    var root = group.isEmpty() ? "/api/" + version : "/apis/" + group + "/" + version;
    return scope == Scope.CLUSTER || namespace.isEmpty()
        ? root + "/" + plural
        : root + "/namespaces/" + encode(namespace) + "/" + plural;
  }

  public String path(ObjectKey key) {
    if (scope == Scope.NAMESPACED && key.namespace().isEmpty()) {
      throw new IllegalArgumentException(
          "namespace: %s are in namespaces, got only the name \"%s\""
              .formatted(plural, key.name()));
    }
    return path(key.namespace()) + "/" + encode(key.name());
  }

  /**
   * The path of a part of an object.
   *
   * @param subresource such as {@code status}; empty for the object itself
   */
  public String path(ObjectKey key, String subresource) {
    return subresource.isEmpty() ? path(key) : path(key) + "/" + subresource;
  }

  static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
