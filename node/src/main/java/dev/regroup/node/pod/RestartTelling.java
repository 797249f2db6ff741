package dev.regroup.node.pod;

/** Whether pods tell of their restarts in an annotation; Kubernetes knows no such thing. */
public enum RestartTelling {
  ANNOTATED,
  SILENT
}
