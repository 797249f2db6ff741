package dev.regroup.client;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The resources controllers and nodes work with, as trees: what they do not know they keep. */
public final class Kinds {

  public static final Resource<ObjectNode> PODS = core("pods");
  public static final Resource<ObjectNode> EVENTS = core("events");
  public static final Resource<ObjectNode> SERVICES = core("services");
  public static final Resource<ObjectNode> ENDPOINTS = core("endpoints");
  public static final Resource<ObjectNode> CLAIMS = core("persistentvolumeclaims");
  public static final Resource<ObjectNode> CONFIG_MAPS = core("configmaps");
  public static final Resource<ObjectNode> SECRETS = core("secrets");
  public static final Resource<ObjectNode> SERVICE_ACCOUNTS = core("serviceaccounts");
  public static final Resource<ObjectNode> QUOTAS = core("resourcequotas");
  public static final Resource<ObjectNode> NODES = Resource.cluster("", "v1", "nodes", Codec.TREE);
  public static final Resource<ObjectNode> NAMESPACES =
      Resource.cluster("", "v1", "namespaces", Codec.TREE);
  public static final Resource<ObjectNode> LEASES =
      Resource.namespaced("coordination.k8s.io", "v1", "leases", Codec.TREE);
  public static final Resource<ObjectNode> SLICES =
      Resource.namespaced("discovery.k8s.io", "v1", "endpointslices", Codec.TREE);
  public static final Resource<ObjectNode> JOBS =
      Resource.namespaced("batch", "v1", "jobs", Codec.TREE);
  public static final Resource<ObjectNode> JOB_SETS =
      Resource.namespaced("jobset.x-k8s.io", "v1alpha2", "jobsets", Codec.TREE);

  public static final Resource<ObjectNode> CLUSTER_ROLES =
      Resource.cluster("rbac.authorization.k8s.io", "v1", "clusterroles", Codec.TREE);

  /** Definitions of custom kinds. */
  public static final Resource<ObjectNode> DEFINITIONS =
      Resource.cluster("apiextensions.k8s.io", "v1", "customresourcedefinitions", Codec.TREE);

  public static final Resource<ObjectNode> POLICIES =
      Resource.cluster(
          "admissionregistration.k8s.io", "v1", "validatingadmissionpolicies", Codec.TREE);

  public static final Resource<ObjectNode> POLICY_BINDINGS =
      Resource.cluster(
          "admissionregistration.k8s.io", "v1", "validatingadmissionpolicybindings", Codec.TREE);

  public static final Resource<ObjectNode> ROLE_BINDINGS =
      Resource.namespaced("rbac.authorization.k8s.io", "v1", "rolebindings", Codec.TREE);

  public static final Resource<ObjectNode> MUTATING_WEBHOOKS = webhooks("mutating");
  public static final Resource<ObjectNode> VALIDATING_WEBHOOKS = webhooks("validating");

  private Kinds() {}

  private static Resource<ObjectNode> webhooks(String kind) {
    return Resource.cluster(
        "admissionregistration.k8s.io", "v1", kind + "webhookconfigurations", Codec.TREE);
  }

  private static Resource<ObjectNode> core(String plural) {
    return Resource.namespaced("", "v1", plural, Codec.TREE);
  }
}
