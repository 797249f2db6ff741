package dev.regroup.control.namespaces;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.schema.Times;
import dev.regroup.client.Resource;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What is left of a namespace that is deleted, and how its status tells of it. One thread. */
final class NamespaceRemains {
  private final Map<String, Integer> kinds = new TreeMap<>();
  private final Map<String, Integer> finalizers = new TreeMap<>();

  /** Objects of a kind that are still there. */
  void add(Resource<?> kind, List<ObjectNode> objects) {
    if (objects.isEmpty()) {
      return;
    }
    kinds.put(kind.plural() + "." + kind.group(), objects.size());
    for (var object : objects) {
      object
          .path("metadata")
          .path("finalizers")
          .forEach(finalizer -> finalizers.merge(finalizer.asText(), 1, Integer::sum));
    }
  }

  boolean isEmpty() {
    return kinds.isEmpty();
  }

  /** The conditions of a namespace with this left in it; unchanged ones keep their time. */
  ArrayNode conditions(ArrayNode before, Instant now) {
    var conditions = Wire.object().putArray("conditions");
    add(
        conditions,
        "NamespaceDeletionDiscoveryFailure",
        "ResourcesDiscovered",
        "All resources successfully discovered",
        false);
    add(
        conditions,
        "NamespaceDeletionGroupVersionParsingFailure",
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
        false);
    add(
        conditions,
        "NamespaceDeletionContentFailure",
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
        false);
    add(
        conditions,
        "NamespaceContentRemaining",
        "SomeResourcesRemain",
        "Some resources are remaining: " + counts(kinds, "%s has %d resource instances"),
        true);
    boolean held = !finalizers.isEmpty();
    add(
        conditions,
        "NamespaceFinalizersRemaining",
        held ? "SomeFinalizersRemain" : "ContentHasNoFinalizers",
        held
            ? "Some content in the namespace has finalizers remaining: "
                + counts(finalizers, "%s in %d resource instances")
            : "All content-preserving finalizers finished",
        held);
    for (var condition : conditions) {
      var since = Times.seconds(now);
      for (var old : before) {
        boolean same =
            old.path("type").equals(condition.path("type"))
                && old.path("status").equals(condition.path("status"));
        since = same ? old.path("lastTransitionTime").asText(since) : since;
      }
      ((ObjectNode) condition).put("lastTransitionTime", since);
    }
    return conditions;
  }

  private static void add(
      ArrayNode conditions, String type, String reason, String message, boolean status) {
    conditions
        .addObject()
        .put("type", type)
        .put("status", status ? "True" : "False")
        .put("lastTransitionTime", "")
        .put("reason", reason)
        .put("message", message);
  }

  private static String counts(Map<String, Integer> counts, String words) {
    return counts.entrySet().stream()
        .map(one -> words.formatted(one.getKey(), one.getValue()))
        .collect(Collectors.joining(", "));
  }
}
