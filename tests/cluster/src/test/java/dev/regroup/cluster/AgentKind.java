package dev.regroup.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.e2e.EntryPointAgent;
import java.io.IOException;
import java.util.Locale;

/** How a pod gets its agent. */
enum AgentKind {
  /** A container beside the worker; the kubelet restarts all containers. */
  SIDECAR("sidecar"),
  /** The worker's entry point, which ends with it; the kubelet restarts that container. */
  MAIN_CONTAINER(EntryPointAgent.ANNOTATION),
  /** The worker's parent, which outlives it; no container restarts. */
  PROCESS("process");

  private final String annotation;

  AgentKind(String annotation) {
    this.annotation = annotation;
  }

  /** What a JobSet says of its agent. */
  String annotation() {
    return annotation;
  }

  /** For names of objects. */
  String word() {
    return name().toLowerCase(Locale.ROOT).replaceAll("_.*", "");
  }

  /** How often the worker's container has restarted after so many restarts of the group. */
  int restarts(int ofGroup) {
    return this == PROCESS ? 0 : ofGroup;
  }

  /** What users of this kind write themselves; nobody adds an agent as entry point for them. */
  void addTo(ObjectNode jobSet) throws IOException {
    if (this != MAIN_CONTAINER) {
      return;
    }
    EntryPointAgent.addTo(
        (ObjectNode) jobSet.at("/spec/replicatedJobs/0/template/spec/template/spec"));
  }
}
