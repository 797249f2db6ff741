package dev.regroup.server.access;

import java.util.Map;

/**
 * What somebody wants to do, in the words of authorization. Names that do not apply are empty.
 *
 * @param verb such as {@code get}, {@code deletecollection}, {@code impersonate}; of a plain path
 *     the HTTP method in small letters
 * @param path set when no resource is named, and then the only thing beside the verb
 * @param selected the values of fields that a request for many objects asks for
 */
public record Attributes(
    Identity identity,
    String verb,
    String group,
    String version,
    String resource,
    String subresource,
    String namespace,
    String name,
    String path,
    Map<String, String> selected) {

  /** The verb of asking as somebody else. */
  public static final String IMPERSONATE = "impersonate";

  public Attributes {
    selected = Map.copyOf(selected);
  }

  /** Of a request that selects nothing. */
  public Attributes(
      Identity identity,
      String verb,
      String group,
      String version,
      String resource,
      String subresource,
      String namespace,
      String name,
      String path) {
    this(identity, verb, group, version, resource, subresource, namespace, name, path, Map.of());
  }

  public static Attributes ofPath(Identity identity, String verb, String path) {
    return new Attributes(identity, verb, "", "", "", "", "", "", path);
  }

  public boolean isResource() {
    return !resource.isEmpty();
  }
}
