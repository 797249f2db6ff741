package dev.regroup.server.resource;

/** What is done at an address that is more than an object of a kind: its parts, mostly. */
public enum Act {
  /** Reads the object or writes its status. */
  STATUS,
  /** Reads the pod or writes its ephemeral containers. */
  EPHEMERAL_CONTAINERS,
  /** Reads the pod or writes the resources of its containers. */
  RESIZE,
  /** Takes finalizers out of the spec of a namespace. */
  FINALIZE,
  /** Reads or sets how many replicas an object wants. */
  SCALE,
  /** Gives a pod its node. */
  BIND,
  /** Deletes a pod unless something speaks against it. */
  EVICT,
  /** Passes on what a container wrote. */
  LOG,
  /** Exec, attach and port-forward: talks with a container. */
  TALK,
  /** Passes requests on to a node, a pod or a service. */
  PROXY,
  /** Answers a question. */
  REVIEW,
  /** Makes a token of a service account. */
  TOKEN
}
