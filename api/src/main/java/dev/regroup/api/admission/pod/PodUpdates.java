package dev.regroup.api.admission.pod;

import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** What may change in the spec of a created pod (IMM-01, IMM-02). */
final class PodUpdates {

  private static final FieldPath SPEC = FieldPath.of("spec");
  private static final String ONLY =
      "pod updates may not change fields other than"
          + " `spec.containers[*].image`,`spec.initContainers[*].image`,"
          + "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing"
          + " tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was"
          + " previously negative)\n";

  private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";

  private PodUpdates() {}

  static List<FieldError> check(ObjectNode spec, ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    for (String list : List.of("containers", "initContainers")) {
      if (!sameCount(spec, old, list, errors)) {
        return errors;
      }
    }
    if (!deadline(spec, old, errors)) {
      return errors;
    }
    tolerations(spec, old, errors);
    gates(spec, old, errors);
    if (isGated(old)) {
      placement(spec, old, errors);
    }
    ObjectNode munged = munged(spec, old);
    if (!munged.equals(old)) {
      errors.add(forbidden(SPEC, ONLY + difference(munged, old)));
    }
    return errors;
  }

  private static boolean sameCount(
      ObjectNode spec, ObjectNode old, String list, List<FieldError> errors) {
    FieldPath path = SPEC.field(list);
    var containers = Trees.objects(spec, list);
    if (containers.size() != Trees.objects(old, list).size()) {
      errors.add(forbidden(path, "pod updates may not add or remove containers"));
      return false;
    }
    for (int i = 0; i < containers.size(); i++) {
      String image = Trees.text(containers.get(i), "image");
      if (image.isEmpty()) {
        errors.add(required(path.index(i).field("image"), ""));
      }
      if (!image.strip().equals(image)) {
        errors.add(
            invalid(
                path.index(i).field("image"),
                image,
                "must not have leading or trailing whitespace"));
      }
    }
    return true;
  }

  private static boolean deadline(ObjectNode spec, ObjectNode old, List<FieldError> errors) {
    FieldPath path = SPEC.field("activeDeadlineSeconds");
    var now = Trees.number(spec, "activeDeadlineSeconds");
    var before = Trees.number(old, "activeDeadlineSeconds");
    if (now.isPresent() && (now.getAsLong() < 0 || now.getAsLong() > Integer.MAX_VALUE)) {
      errors.add(invalid(path, now.getAsLong(), "must be between 0 and 2147483647, inclusive"));
      return false;
    }
    if (before.isEmpty()) {
      return true;
    }
    if (now.isEmpty()) {
      errors.add(
          invalid(
              path,
              NullNode.getInstance(),
              "must not update from a positive integer to nil value"));
      return true;
    }
    if (now.getAsLong() > before.getAsLong()) {
      errors.add(invalid(path, now.getAsLong(), "must be less than or equal to previous value"));
      return false;
    }
    return true;
  }

  private static void tolerations(ObjectNode spec, ObjectNode old, List<FieldError> errors) {
    var now = Trees.objects(spec, "tolerations").stream().map(PodUpdates::withoutSeconds).toList();
    for (ObjectNode before : Trees.objects(old, "tolerations")) {
      if (!now.contains(withoutSeconds(before))) {
        errors.add(
            forbidden(
                SPEC.field("tolerations"),
                "existing toleration can not be modified except its tolerationSeconds"));
        return;
      }
    }
  }

  private static ObjectNode withoutSeconds(ObjectNode toleration) {
    ObjectNode copy = toleration.deepCopy();
    copy.remove("tolerationSeconds");
    return copy;
  }

  private static void gates(ObjectNode spec, ObjectNode old, List<FieldError> errors) {
    var before =
        Trees.objects(old, "schedulingGates").stream().map(g -> Trees.text(g, "name")).toList();
    var gates = Trees.objects(spec, "schedulingGates");
    for (int i = 0; i < gates.size(); i++) {
      String name = Trees.text(gates.get(i), "name");
      if (!before.contains(name)) {
        errors.add(
            forbidden(
                SPEC.field("schedulingGates").index(i).field("name"),
                "only deletion is allowed, but found new scheduling gate '" + name + "'"));
      }
    }
  }

  /** A pod that waits at a gate was not placed yet: where it may run can still be narrowed. */
  private static void placement(ObjectNode spec, ObjectNode old, List<FieldError> errors) {
    JsonNode selector = old.path("nodeSelector");
    boolean kept =
        Trees.keys(selector).stream()
            .allMatch(key -> selector.path(key).equals(spec.path("nodeSelector").path(key)));
    if (!kept) {
      errors.add(
          invalid(
              SPEC.field("nodeSelector"),
              FieldError.sorted(spec.path("nodeSelector")),
              "only additions to spec.nodeSelector are allowed (no mutations or deletions)"));
    }
    FieldPath path = SPEC.field("affinity", "nodeAffinity", REQUIRED, "nodeSelectorTerms");
    var before = Trees.objects(old, "affinity", "nodeAffinity", REQUIRED, "nodeSelectorTerms");
    var now = Trees.objects(spec, "affinity", "nodeAffinity", REQUIRED, "nodeSelectorTerms");
    if (!before.isEmpty() && before.size() != now.size()) {
      errors.add(
          invalid(
              path,
              Trees.at(spec, "affinity", "nodeAffinity", REQUIRED, "nodeSelectorTerms"),
              "no additions/deletions to non-empty NodeSelectorTerms list are allowed"));
      return;
    }
    for (int i = 0; i < before.size(); i++) {
      if (!onlyAdds(now.get(i), before.get(i))) {
        errors.add(
            invalid(
                path.index(i),
                FieldError.internal(now.get(i)),
                "only additions are allowed (no mutations or deletions)"));
      }
    }
  }

  private static boolean onlyAdds(ObjectNode term, ObjectNode before) {
    for (String list : List.of("matchExpressions", "matchFields")) {
      var kept = Trees.objects(before, list);
      var now = Trees.objects(term, list);
      if (now.size() < kept.size() || !now.subList(0, kept.size()).equals(kept)) {
        return false;
      }
    }
    return true;
  }

  /** The new spec with everything that may change set back: what differs now may not differ. */
  private static ObjectNode munged(ObjectNode spec, ObjectNode old) {
    ObjectNode munged = spec.deepCopy();
    for (String list : List.of("containers", "initContainers")) {
      var before = Trees.objects(old, list);
      var containers = Trees.objects(munged, list);
      for (int i = 0; i < containers.size(); i++) {
        Trees.carry(before.get(i), containers.get(i), "image");
      }
    }
    for (String field : List.of("activeDeadlineSeconds", "schedulingGates", "tolerations")) {
      Trees.carry(old, munged, field);
    }
    if (isGated(old)) {
      Trees.carry(old, munged, "nodeSelector");
      nodeAffinity(munged, old);
    }
    long grace = Trees.number(old, "terminationGracePeriodSeconds").orElse(0);
    if (grace < 0 && Trees.number(munged, "terminationGracePeriodSeconds").orElse(0) == 1) {
      Trees.carry(old, munged, "terminationGracePeriodSeconds");
    }
    return munged;
  }

  private static boolean isGated(ObjectNode old) {
    return !old.path("schedulingGates").isEmpty();
  }

  /** Only the node part of an affinity may change, and only what {@link #placement} allows. */
  private static void nodeAffinity(ObjectNode munged, ObjectNode old) {
    JsonNode before = Trees.at(old, "affinity", "nodeAffinity");
    if (!before.isMissingNode()) {
      Trees.child(munged, "affinity").set("nodeAffinity", before.deepCopy());
      return;
    }
    Trees.object(munged, "affinity")
        .ifPresent(affinity -> {
          affinity.remove("nodeAffinity");
          if (affinity.isEmpty() && !Trees.has(old, "affinity")) {
            munged.remove("affinity");
          }
        });
  }

  private static String difference(ObjectNode now, ObjectNode old) {
    var text = new StringBuilder("  core.PodSpec{\n");
    var fields = new TreeSet<>(Trees.keys(now));
    fields.addAll(Trees.keys(old));
    for (String field : fields) {
      if (!Trees.same(now.path(field), old.path(field))) {
        text.append("- \t").append(field).append(": ").append(print(old.path(field)));
        text.append(",\n+ \t").append(field).append(": ").append(print(now.path(field)));
        text.append(",\n");
      }
    }
    return text.append("  }\n").toString();
  }

  private static String print(JsonNode value) {
    return value.isMissingNode() ? "nil" : value.toString();
  }

  /** Through {@code /ephemeralcontainers}: only additions (IMM-02). */
  static List<FieldError> ephemeral(ObjectNode spec, ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    FieldPath path = SPEC.field("ephemeralContainers");
    var now = Trees.objects(spec, "ephemeralContainers");
    for (ObjectNode before : Trees.objects(old, "ephemeralContainers")) {
      String name = Trees.text(before, "name");
      var same = now.stream().filter(c -> Trees.text(c, "name").equals(name)).findFirst();
      if (same.isEmpty()) {
        errors.add(
            forbidden(path, "existing ephemeral containers \"" + name + "\" may not be removed\n"));
      } else if (!same.get().equals(before)) {
        errors.add(
            forbidden(path, "existing ephemeral containers \"" + name + "\" may not be changed\n"));
      }
    }
    return errors;
  }
}
