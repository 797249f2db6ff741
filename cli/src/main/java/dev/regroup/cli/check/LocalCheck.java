package dev.regroup.cli.check;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.server.resource.Catalog;
import dev.regroup.server.wire.Verb;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What {@code regroup run} and {@code up} would make of an object: everything its check finds,
 * kinds that this server does not serve, references that lead nowhere (see {@link ClosedWorld}),
 * and what its admission fills in. Which kinds it serves is asked of the server's own catalog. One
 * thread.
 */
public final class LocalCheck {

  private static final List<GroupVersionKind> SERVED =
      Catalog.standard().all().stream()
          .filter(type -> type.verbs().contains(Verb.CREATE) && !type.isReview())
          .map(type -> type.kind())
          .toList();

  private final ObjectCheck check;
  private final ClosedWorld world;
  private boolean unserved;

  /**
   * @param world what the object may refer to
   */
  public LocalCheck(ObjectCheck check, ClosedWorld world) {
    this.check = check;
    this.world = world;
  }

  public ObjectCheck.Checked check(ObjectNode object) {
    var checked = check.check(object);
    boolean wrongKind = // a typing error, and said so
        checked.findings().stream()
            .anyMatch(finding -> finding.isError() && isKind(finding.field()));
    return wrongKind || SERVED.contains(checked.kind())
        ? withReferences(object, withDefaults(checked))
        : ObjectCheck.unreadable(checked.kind(), List.of(unserved(checked.kind())));
  }

  private static ObjectCheck.Checked withDefaults(ObjectCheck.Checked checked) {
    return checked
        .admitted()
        .flatMap(Defaulted::fields)
        .map(fields -> checked.with(Finding.note("", "filled in: " + fields)))
        .orElse(checked);
  }

  private ObjectCheck.Checked withReferences(ObjectNode object, ObjectCheck.Checked checked) {
    var all = checked;
    for (Finding missing : world.missing(object)) {
      all = all.with(missing);
    }
    return all;
  }

  private static boolean isKind(String field) {
    return field.equals("kind") || field.equals("apiVersion");
  }

  private Finding unserved(GroupVersionKind kind) {
    String hint =
        SERVED.stream()
            .filter(served -> served.kind().equals(kind.kind()))
            .findFirst()
            .map(served -> "write apiVersion: " + served.apiVersion())
            .orElse("take it out of the file, or use a cluster");
    unserved = true;
    return Finding.error(
        "kind",
        "regroup's local cluster does not serve \"%s\" of apiVersion \"%s\""
            .formatted(kind.kind(), kind.apiVersion()),
        hint);
  }

  /** What it does serve, for the last line, when a kind was refused. */
  public Optional<String> served() {
    return unserved
        ? Optional.of(
            SERVED.stream()
                .map(GroupVersionKind::kind)
                .distinct()
                .collect(Collectors.joining(", ", "the local cluster serves ", "")))
        : Optional.empty();
  }
}
