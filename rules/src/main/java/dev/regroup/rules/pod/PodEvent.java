package dev.regroup.rules.pod;

import java.util.Objects;

/**
 * An event about the pod or one of its containers (node.md section 8).
 *
 * @param fieldPath {@code spec.containers{name}} and its like, empty for the pod itself
 */
public record PodEvent(Type type, String reason, String message, String fieldPath) {

  public enum Type {
    NORMAL,
    WARNING
  }

  public PodEvent {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(message, "message");
    Objects.requireNonNull(fieldPath, "fieldPath");
  }
}
