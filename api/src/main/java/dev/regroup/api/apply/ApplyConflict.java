package dev.regroup.api.apply;

import java.util.List;
import java.util.stream.Collectors;

/** An applied configuration wants fields to be otherwise that others own. */
public final class ApplyConflict extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient List<Conflict> conflicts;

  /**
   * One field of one other manager.
   *
   * @param manager as Kubernetes names it: {@code "m1"}, {@code "kubelet" using v1}
   */
  public record Conflict(String manager, String path) {
    public String text() {
      return "conflict with " + manager;
    }
  }

  ApplyConflict(List<Conflict> conflicts) {
    super(text(conflicts));
    this.conflicts = List.copyOf(conflicts);
  }

  public List<Conflict> conflicts() {
    return conflicts;
  }

  private static String text(List<Conflict> conflicts) {
    if (conflicts.size() == 1) {
      var one = conflicts.getFirst();
      return "Apply failed with 1 conflict: " + one.text() + ": " + one.path();
    }
    return conflicts.stream()
        .map(Conflict::manager)
        .distinct()
        .map(manager ->
            "conflicts with %s:\n%s"
                .formatted(
                    manager,
                    conflicts.stream()
                        .filter(one -> one.manager().equals(manager))
                        .map(one -> "- " + one.path())
                        .collect(Collectors.joining("\n"))))
        .collect(
            Collectors.joining(
                "\n", "Apply failed with %d conflicts: ".formatted(conflicts.size()), ""));
  }
}
