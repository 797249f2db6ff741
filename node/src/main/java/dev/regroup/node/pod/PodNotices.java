package dev.regroup.node.pod;

import dev.regroup.client.event.EventRecorder;

/** Events the driver itself has to tell about one pod and its containers. */
public final class PodNotices {

  private final EventRecorder events;
  private final EventRecorder.Subject pod;

  public PodNotices(EventRecorder events, NodePod view) {
    this.events = events;
    this.pod = EventRecorder.Subject.pod(view.namespace(), view.name(), view.uid());
  }

  /** {@code spec.containers{name}} or its like. */
  public String path(NodePod view, String container) {
    for (var spec : view.spec().containers()) {
      if (spec.name().equals(container)) {
        return switch (spec.kind()) {
          case INIT, SIDECAR -> "spec.initContainers{" + container + "}";
          case REGULAR -> "spec.containers{" + container + "}";
          case EPHEMERAL -> "spec.ephemeralContainers{" + container + "}";
        };
      }
    }
    return "";
  }

  public void normal(String path, String reason, String message) {
    events.record(pod.field(path), EventRecorder.Type.NORMAL, reason, message);
  }

  public void warn(String path, String reason, String message) {
    events.record(pod.field(path), EventRecorder.Type.WARNING, reason, message);
  }

  public void warn(String reason, String message) {
    warn("", reason, message);
  }
}
