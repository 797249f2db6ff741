package dev.regroup.control.owners;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.client.Codec;
import dev.regroup.client.Resource;
import java.util.List;

/** A collection whose objects can own or be owned, and that a namespace takes with it. */
public record Collection(String apiVersion, String kind, Resource<ObjectNode> resource) {

  /** Of built-in kinds; more come with definitions ({@link KnownCollections}). */
  public static final List<Collection> ALL =
      List.of(
          namespaced("", "v1", "pods", "Pod"),
          namespaced("batch", "v1", "jobs", "Job"),
          namespaced("jobset.x-k8s.io", "v1alpha2", "jobsets", "JobSet"),
          namespaced("", "v1", "services", "Service"),
          namespaced("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice"),
          namespaced("", "v1", "endpoints", "Endpoints"),
          namespaced("", "v1", "configmaps", "ConfigMap"),
          namespaced("", "v1", "secrets", "Secret"),
          namespaced("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim"),
          namespaced("", "v1", "serviceaccounts", "ServiceAccount"),
          namespaced("", "v1", "resourcequotas", "ResourceQuota"),
          namespaced("coordination.k8s.io", "v1", "leases", "Lease"),
          namespaced("rbac.authorization.k8s.io", "v1", "roles", "Role"),
          namespaced("rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding"),
          new Collection("v1", "Node", Resource.cluster("", "v1", "nodes", Codec.TREE)));

  /** Path of the collection over all namespaces. */
  public String path() {
    return resource.path("");
  }

  boolean isOf(String version, String otherKind) {
    return apiVersion.equals(version) && kind.equals(otherKind);
  }

  private static Collection namespaced(String group, String version, String plural, String kind) {
    return new Collection(
        group.isEmpty() ? version : group + "/" + version,
        kind,
        Resource.namespaced(group, version, plural, Codec.TREE));
  }
}
