package dev.regroup.api.policy;

/**
 * What a request is about, in one of the forms it can be seen in.
 *
 * @param operation {@code CREATE}, {@code UPDATE}, {@code DELETE} or {@code CONNECT}
 * @param namespace empty for objects of the cluster; of a namespace its own name
 */
public record MatchTarget(
    String operation,
    String group,
    String version,
    String resource,
    String subresource,
    String namespace,
    String name) {

  boolean isNamespace() {
    return group.isEmpty() && resource.equals("namespaces");
  }

  /** The same request seen as one for another form of the resource. */
  public MatchTarget as(String otherGroup, String otherVersion, String otherResource) {
    return new MatchTarget(
        operation, otherGroup, otherVersion, otherResource, subresource, namespace, name);
  }
}
