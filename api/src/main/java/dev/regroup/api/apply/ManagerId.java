package dev.regroup.api.apply;

import java.util.Comparator;

/**
 * Who manages fields: a name, how it writes and through which part of the resource. Updates of two
 * API versions are two managers; applied configurations of two versions follow each other.
 *
 * @param apiVersion empty for applied configurations
 * @param subresource empty for the object itself
 */
public record ManagerId(String name, Operation operation, String apiVersion, String subresource)
    implements Comparable<ManagerId> {
  private static final Comparator<ManagerId> ORDER =
      Comparator.comparing(ManagerId::name)
          .thenComparing(ManagerId::operation)
          .thenComparing(ManagerId::apiVersion)
          .thenComparing(ManagerId::subresource);

  /** How a manager writes. */
  public enum Operation {
    APPLY("Apply"),
    UPDATE("Update");

    private final String wireName;

    Operation(String wireName) {
      this.wireName = wireName;
    }

    String wireName() {
      return wireName;
    }
  }

  public ManagerId {
    name = name.isEmpty() ? "unknown" : name;
    apiVersion = operation == Operation.APPLY ? "" : apiVersion;
  }

  /** As Kubernetes names it in a conflict. */
  String text() {
    var text = "\"" + name + "\"";
    if (!subresource.isEmpty()) {
      text += " with subresource \"" + subresource + "\"";
    }
    return operation == Operation.UPDATE ? text + " using " + apiVersion : text;
  }

  @Override
  public int compareTo(ManagerId other) {
    return ORDER.compare(this, other);
  }
}
