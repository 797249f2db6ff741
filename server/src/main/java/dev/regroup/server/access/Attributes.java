package dev.regroup.server.access;

/**
 * What somebody wants to do, in the words of authorization. Names that do not apply are empty.
 *
 * @param verb such as {@code get}, {@code deletecollection}, {@code impersonate}; of a plain path
 *     the HTTP method in small letters
 * @param path set when no resource is named, and then the only thing beside the verb
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
    String path) {

  /** The verb of asking as somebody else. */
  public static final String IMPERSONATE = "impersonate";

  public static Attributes ofPath(Identity identity, String verb, String path) {
    return new Attributes(identity, verb, "", "", "", "", "", "", path);
  }

  public boolean isResource() {
    return !resource.isEmpty();
  }
}
