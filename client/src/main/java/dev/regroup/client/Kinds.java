package dev.regroup.client;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The resources controllers work with, as trees: what a controller does not know it keeps. */
public final class Kinds {

  public static final Resource<ObjectNode> PODS = core("pods");
  public static final Resource<ObjectNode> EVENTS = core("events");
  public static final Resource<ObjectNode> SERVICES = core("services");
  public static final Resource<ObjectNode> CLAIMS = core("persistentvolumeclaims");
  public static final Resource<ObjectNode> NODES = Resource.cluster("", "v1", "nodes", Codec.TREE);
  public static final Resource<ObjectNode> JOBS =
      Resource.namespaced("batch", "v1", "jobs", Codec.TREE);
  public static final Resource<ObjectNode> JOB_SETS =
      Resource.namespaced("jobset.x-k8s.io", "v1alpha2", "jobsets", Codec.TREE);

  private Kinds() {}

  private static Resource<ObjectNode> core(String plural) {
    return Resource.namespaced("", "v1", plural, Codec.TREE);
  }
}
