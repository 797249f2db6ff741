package dev.regroup.sim.api;

import dev.regroup.api.schema.GroupVersionKind;

/** The kinds the virtual cluster has. */
public enum Kind {
  JOB_SET(new GroupVersionKind("jobset.x-k8s.io", "v1alpha2", "JobSet")),
  JOB(new GroupVersionKind("batch", "v1", "Job")),
  POD(new GroupVersionKind("", "v1", "Pod")),
  NODE(new GroupVersionKind("", "v1", "Node"));

  private final GroupVersionKind type;

  Kind(GroupVersionKind type) {
    this.type = type;
  }

  GroupVersionKind type() {
    return type;
  }
}
