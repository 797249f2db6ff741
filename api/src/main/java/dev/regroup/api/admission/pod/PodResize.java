package dev.regroup.api.admission.pod;

import static dev.regroup.api.admission.field.FieldError.forbidden;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.pod.PodReferences;
import dev.regroup.api.pod.QosClass;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.StreamSupport;

/**
 * Writes through {@code /resize}: CPU and memory of containers, and nothing else. A container that
 * Regroup's own node runs keeps its limits until it starts again, so there such a write is refused,
 * as Kubernetes refuses it for a node that cannot resize.
 */
final class PodResize {
  private static final FieldPath SPEC = FieldPath.of("spec");
  private static final List<String> LISTS = List.of("containers", "initContainers");
  private static final Set<String> RESIZED = Set.of("cpu", "memory");
  private static final String OWN_NODE = "+regroup";

  private PodResize() {}

  /** The stored pod with what may be taken from the new one. */
  static ObjectNode taken(ObjectNode wanted, ObjectNode old) {
    for (String list : LISTS) {
      if (!names(wanted, list).equals(names(old, list))) {
        return wanted.deepCopy(); // for the check to refuse
      }
    }
    ObjectNode pod = old.deepCopy();
    Trees.carry(Trees.child(wanted, "spec"), Trees.child(pod, "spec"), "resources");
    for (String list : LISTS) {
      var from = Trees.objects(wanted.path("spec"), list);
      var to = Trees.objects(pod.path("spec"), list);
      for (int i = 0; i < to.size(); i++) {
        Trees.carry(from.get(i), to.get(i), "resources");
        Trees.carry(from.get(i), to.get(i), "resizePolicy");
      }
    }
    return pod;
  }

  static List<FieldError> check(ObjectNode pod, ObjectNode old, Lookup lookup) {
    var errors = new ArrayList<FieldError>();
    JsonNode spec = pod.path("spec");
    JsonNode before = old.path("spec");
    if (PodReferences.isMirror(old)) {
      return List.of(forbidden(FieldPath.ROOT, "static pods cannot be resized"));
    }
    if (Trees.text(before, "os", "name").equals("windows")) {
      return List.of(forbidden(FieldPath.ROOT, "windows pods cannot be resized"));
    }
    String qos = Trees.text(old, "status", "qosClass");
    if (!QosClass.ofSpec(spec).wireName().equals(qos)) {
      errors.add(
          FieldError.invalid(SPEC, qos, "Pod QOS Class may not change as a result of resizing"));
    }
    if (!isSupported(old, lookup)) {
      errors.add(forbidden(SPEC, "Pod running on node without support for resize"));
    }
    podLevel(spec, before, errors);
    var order = order(pod, old);
    errors.addAll(order);
    if (order.isEmpty()) {
      containers(spec, before, "initContainers", errors);
      containers(spec, before, "containers", errors);
    }
    return errors;
  }

  private static boolean isSupported(ObjectNode old, Lookup lookup) {
    var running =
        Trees.objects(old.path("status"), "containerStatuses").stream()
            .filter(status -> Trees.has(status, "state", "running"))
            .findFirst();
    return running.isEmpty()
        || (running.get().has("resources")
            && lookup
                .find("v1", "Node", null, Trees.text(old, "spec", "nodeName"))
                .map(node -> Trees.text(node, "status", "nodeInfo", "kubeletVersion"))
                .filter(version -> version.endsWith(OWN_NODE))
                .isEmpty());
  }

  private static void podLevel(JsonNode spec, JsonNode before, List<FieldError> errors) {
    FieldPath path = SPEC.field("resources");
    JsonNode old = before.path("resources");
    JsonNode now = spec.path("resources");
    if (!old.isMissingNode() && now.isMissingNode()) {
      errors.add(forbidden(path, "pod-level resources cannot be removed"));
      return;
    }
    for (String list : List.of("requests", "limits")) {
      if (isRemoved(now.path(list), old.path(list))) {
        errors.add(
            forbidden(path.field(list), "pod-level resource " + list + " cannot be removed"));
      }
    }
    if (!fixed(now).equals(fixed(old))) {
      errors.add(forbidden(SPEC, "only cpu and memory resources are mutable at pod-level"));
    }
  }

  private static List<FieldError> order(ObjectNode pod, ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    for (String list : LISTS) {
      var now = names(pod, list);
      var before = names(old, list);
      if (now.size() != before.size()) {
        errors.add(forbidden(SPEC.field(list), list + " may not be added or removed on resize"));
        continue;
      }
      for (int i = 0; i < now.size(); i++) {
        if (!now.get(i).equals(before.get(i))) {
          errors.add(
              forbidden(
                  SPEC.field(list).index(i).field("name"),
                  list + " may not be renamed or reordered on resize"));
        }
      }
    }
    return errors;
  }

  private static void containers(
      JsonNode spec, JsonNode before, String list, List<FieldError> errors) {
    var now = Trees.objects(spec, list);
    var old = Trees.objects(before, list);
    for (int i = 0; i < now.size(); i++) {
      FieldPath path = SPEC.field(list).index(i);
      JsonNode resources = now.get(i).path("resources");
      JsonNode given = old.get(i).path("resources");
      for (String part : List.of("requests", "limits")) {
        if (isRemoved(resources.path(part), given.path(part))) {
          errors.add(
              forbidden(path.field("resources", part), "resource " + part + " cannot be removed"));
        }
      }
      boolean same =
          fixed(resources).equals(fixed(given))
              && now.get(i).path("resizePolicy").equals(old.get(i).path("resizePolicy"));
      if (same) {
        continue;
      }
      errors.add(
          list.equals("containers")
              ? forbidden(SPEC, "only cpu and memory resources are mutable")
              : forbidden(
                  path,
                  "only cpu and memory resources for init or sidecar containers are mutable"));
    }
  }

  private static boolean isRemoved(JsonNode now, JsonNode before) {
    return before.propertyStream().anyMatch(entry -> !now.has(entry.getKey()));
  }

  /** What of these resources no resize may touch. */
  private static ObjectNode fixed(JsonNode resources) {
    var rest = Wire.object();
    for (String list : List.of("requests", "limits")) {
      resources
          .path(list)
          .properties()
          .forEach(entry -> {
            if (!RESIZED.contains(entry.getKey())) {
              rest.set(list + "/" + entry.getKey(), entry.getValue());
            }
          });
    }
    if (!resources.path("claims").isEmpty()) {
      rest.set("claims", resources.path("claims"));
    }
    return rest;
  }

  private static List<String> names(ObjectNode pod, String list) {
    return StreamSupport.stream(pod.path("spec").path(list).spliterator(), false)
        .map(container -> Trees.text(container, "name"))
        .toList();
  }
}
