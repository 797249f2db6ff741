package dev.regroup.api.admission.job;

import static dev.regroup.api.admission.field.FieldError.invalid;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What may change in the spec of a created Job (JB-23, JB-24). */
final class JobUpdates {

  private static final FieldPath SPEC = FieldPath.of("spec");
  private static final String IMMUTABLE = "field is immutable";

  private JobUpdates() {}

  static List<FieldError> check(ObjectNode job, ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    JsonNode spec = job.path("spec");
    JsonNode oldSpec = old.path("spec");
    completions(spec, oldSpec, errors);
    immutable(spec, oldSpec, "selector", errors);
    template(spec, old, errors);
    for (String field :
        List.of(
            "completionMode",
            "podFailurePolicy",
            "backoffLimitPerIndex",
            "managedBy",
            "successPolicy")) {
      immutable(spec, oldSpec, field, errors);
    }
    return errors;
  }

  private static void immutable(
      JsonNode spec, JsonNode old, String field, List<FieldError> errors) {
    if (!Trees.same(spec.path(field), old.path(field))) {
      errors.add(invalid(SPEC.field(field), printed(spec.path(field), field), IMMUTABLE));
    }
  }

  /** As Kubernetes prints the value: its policies with every field of their structures. */
  private static @Nullable JsonNode printed(JsonNode value, String field) {
    if (value.isMissingNode()) {
      return null;
    }
    return switch (field) {
      case "podFailurePolicy" -> {
        ObjectNode copy = value.deepCopy();
        for (ObjectNode rule : Trees.objects(copy, "rules")) {
          complete(rule, List.of("action", "onExitCodes", "onPodConditions"));
          Trees.object(rule, "onExitCodes")
              .ifPresent(codes -> complete(codes, List.of("containerName", "operator", "values")));
          Trees.objects(rule, "onPodConditions")
              .forEach(pattern -> complete(pattern, List.of("type", "status")));
        }
        yield FieldError.internal(copy);
      }
      case "successPolicy" -> {
        ObjectNode copy = value.deepCopy();
        Trees.objects(copy, "rules")
            .forEach(rule -> complete(rule, List.of("succeededIndexes", "succeededCount")));
        yield FieldError.internal(copy);
      }
      default -> value;
    };
  }

  private static void complete(ObjectNode structure, List<String> fields) {
    ObjectNode written = structure.deepCopy();
    structure.removeAll();
    for (String field : fields) {
      JsonNode value = written.get(field);
      structure.set(field, value == null ? NullNode.instance : value);
    }
  }

  private static void completions(JsonNode spec, JsonNode old, List<FieldError> errors) {
    if (!JobValidation.isIndexed(spec)) {
      immutable(spec, old, "completions", errors);
      return;
    }
    boolean changed = !Trees.same(spec.path("completions"), old.path("completions"));
    boolean missing = !Trees.has(spec, "completions"); // which the checks of the whole refuse
    if (changed && !missing && !Trees.same(spec.path("completions"), spec.path("parallelism"))) {
      errors.add(
          invalid(
              SPEC.field("completions"),
              spec.path("completions"),
              "can only be modified in tandem with spec.parallelism"));
    }
  }

  private static void template(JsonNode spec, ObjectNode old, List<FieldError> errors) {
    JsonNode template = spec.path("template");
    JsonNode oldTemplate = Trees.at(old, "spec", "template");
    if (template.equals(oldTemplate)) {
      return;
    }
    if (!isIdle(old)) {
      errors.add(invalid(SPEC.field("template"), FieldError.internal(template), IMMUTABLE));
      return;
    }
    if (!rest(template, oldTemplate).equals(oldTemplate.path("spec"))) {
      errors.add(
          invalid(
              SPEC.field("template", "spec"),
              FieldError.internal(template.path("spec")),
              IMMUTABLE));
    }
  }

  /** Suspended, without pods, and known to be so (JB-24). */
  private static boolean isIdle(ObjectNode job) {
    boolean suspendedTrue =
        Trees.objects(job, "status", "conditions").stream()
            .anyMatch(c ->
                Trees.text(c, "type").equals("Suspended")
                    && Trees.text(c, "status").equals("True"));
    return Trees.isTrue(job, "spec", "suspend")
        && Trees.number(job, "status", "active").orElse(0) == 0
        && (!Trees.has(job, "status", "startTime") || suspendedTrue);
  }

  /** The new pod spec with everything set back that a suspended Job may change. */
  private static ObjectNode rest(JsonNode template, JsonNode old) {
    ObjectNode oldSpec = Trees.object(old, "spec").orElseThrow();
    ObjectNode spec = Trees.object(template, "spec").orElseThrow().deepCopy();
    for (String field : List.of("nodeSelector", "tolerations", "schedulingGates")) {
      Trees.carry(oldSpec, spec, field);
    }
    affinity(spec, oldSpec);
    for (String list : List.of("containers", "initContainers")) {
      var before = Trees.objects(oldSpec, list);
      var now = Trees.objects(spec, list);
      for (int i = 0; i < Math.min(before.size(), now.size()); i++) {
        if (before.get(i).path("name").equals(now.get(i).path("name"))) {
          Trees.carry(before.get(i), now.get(i), "resources");
        }
      }
    }
    return spec;
  }

  private static void affinity(ObjectNode spec, ObjectNode old) {
    if (!Trees.has(old, "affinity")) {
      Trees.object(spec, "affinity").ifPresent(affinity -> affinity.remove("nodeAffinity"));
      if (spec.path("affinity").isEmpty()) {
        spec.remove("affinity");
      }
      return;
    }
    ObjectNode affinity = Trees.child(spec, "affinity");
    Trees.carry(Trees.child(old, "affinity"), affinity, "nodeAffinity");
  }
}
