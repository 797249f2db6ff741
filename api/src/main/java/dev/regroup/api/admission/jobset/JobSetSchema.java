package dev.regroup.api.admission.jobset;

import static dev.regroup.api.admission.field.FieldError.OMITTED;
import static dev.regroup.api.admission.field.FieldError.duplicate;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;
import static dev.regroup.api.admission.field.FieldError.tooMany;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.schema.Definition;
import dev.regroup.api.schema.Field;
import dev.regroup.api.schema.Schema;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks a JobSet against its schema as an API server checks a custom resource: types, required
 * fields, enums, limits, list keys; then, only if those are fine, the rules that compare fields or
 * the old object (JS-3 to JS-28).
 */
final class JobSetSchema {
  private static final String STATUS = "status.";

  private static final String OWN = "io.x-k8s.jobset.v1alpha2.";
  private static final String INT_OR_STRING = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";
  private static final String QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity";
  private static final String IMMUTABLE = "Value is immutable";

  private final Schema schema;
  private final List<FieldError> errors = new ArrayList<>();
  private final List<FieldError> duplicates = new ArrayList<>();

  JobSetSchema(Schema schema) {
    this.schema = schema;
  }

  /** {@code before} are errors found earlier (metadata): they too keep the rules from running. */
  List<FieldError> check(ObjectNode jobSet, @Nullable ObjectNode old, List<FieldError> before) {
    errors.addAll(before);
    Definition root = schema.definition(OWN + "JobSet");
    for (String part : List.of("spec", "status")) {
      if (Trees.has(jobSet, part)) {
        value(jobSet.path(part), root.fields().get(part), FieldPath.of(part));
      }
    }
    errors.addAll(duplicates);
    FieldError.unchecked(errors).ifPresentOrElse(errors::add, () -> rules(jobSet, old));
    return errors;
  }

  private void struct(JsonNode object, Definition definition, FieldPath path) {
    for (String name : definition.required()) {
      if (!Trees.has(object, name)) {
        errors.add(required(path.field(name), ""));
      }
    }
    for (String name : Trees.keys(object)) {
      Field field = definition.fields().get(name);
      if (field == null || !Trees.has(object, name)) {
        continue;
      }
      Field checked = definition.name().startsWith(OWN) ? field : withoutEnum(field);
      value(object.path(name), checked, path.field(name));
    }
  }

  /** A definition that embeds Kubernetes' types does not know their enums. */
  private static Field withoutEnum(Field field) {
    return field.allowed().isEmpty() ? field : field.allowing(List.of());
  }

  private void value(JsonNode value, @Nullable Field field, FieldPath path) {
    if (field == null) {
      return;
    }
    String ref = field.ref();
    if (ref != null) {
      Definition definition = schema.definition(ref);
      if (definition.isStruct()) {
        if (is(value, "object", path)) {
          struct(value, definition, path);
        }
      } else if (ref.equals(INT_OR_STRING) || ref.equals(QUANTITY)) {
        if (!value.isNumber() && !value.isTextual()) {
          is(value, "string", path);
        }
      } else if (definition.format() != null) {
        is(value, "string", path);
      }
      return;
    }
    String type = field.type();
    if (type == null || !is(value, type, path)) {
      return;
    }
    Field items = field.items();
    if (items != null) {
      list(value, field, items, path);
    }
    if (field.values() != null) {
      for (Map.Entry<String, JsonNode> entry : value.properties()) {
        value(entry.getValue(), field.values(), path.field(entry.getKey()));
      }
    }
    if (!field.allowed().isEmpty() && !field.allowed().contains(value.asText())) {
      errors.add(notSupported(path, value, field.allowed()));
    }
    Long minimum = field.minimum();
    if (minimum != null && value.longValue() < minimum) {
      errors.add(
          invalid(
              path,
              value,
              inBody(path) + " in body should be greater than or equal to " + minimum));
    }
  }

  private boolean is(JsonNode value, String type, FieldPath path) {
    String found =
        switch (value.getNodeType()) {
          case ARRAY -> "array";
          case BOOLEAN -> "boolean";
          case NUMBER -> value.isIntegralNumber() ? "integer" : "number";
          case OBJECT, POJO -> "object";
          case STRING, BINARY -> "string";
          case MISSING, NULL -> "null";
        };
    if (found.equals(type) || (type.equals("number") && found.equals("integer"))) {
      return true;
    }
    errors.add(
        new FieldError(
            FieldError.Kind.TYPE_INVALID,
            path,
            found,
            "%s in body must be of type %s: \"%s\"".formatted(inBody(path), type, found)));
    return false;
  }

  /** Kubernetes checks a status apart from its object, and its texts begin below it. */
  private static String inBody(FieldPath path) {
    String text = path.toString();
    return text.startsWith(STATUS) ? text.substring(STATUS.length()) : text;
  }

  private void list(JsonNode list, Field field, Field items, FieldPath path) {
    Integer max = field.maxItems();
    if (max != null && list.size() > max) {
      errors.add(tooMany(path, list.size(), max));
    }
    var seen = new HashSet<JsonNode>();
    for (int i = 0; i < list.size(); i++) {
      value(list.path(i), items, path.index(i));
      if (field.listType() == Field.ListType.MAP) {
        ObjectNode key = JsonNodeFactory.instance.objectNode();
        for (String name : field.listMapKeys()) {
          key.set(name, list.path(i).path(name));
        }
        boolean complete = field.listMapKeys().stream().allMatch(list.path(i)::has);
        if (complete && !seen.add(key)) {
          duplicates.add(duplicate(path.index(i), key));
        }
      }
    }
  }

  private void rules(ObjectNode jobSet, @Nullable ObjectNode old) {
    JsonNode spec = jobSet.path("spec");
    FieldPath path = FieldPath.of("spec");
    var jobs = Trees.objects(spec, "replicatedJobs");
    boolean inOrder = Trees.text(spec, "startupPolicy", "startupPolicyOrder").equals("InOrder");
    if (inOrder && jobs.stream().anyMatch(job -> Trees.has(job, "dependsOn"))) {
      errors.add(invalid(path, OMITTED, "StartupPolicy and DependsOn APIs are mutually exclusive"));
    }
    if (old != null) {
      immutable(spec, old.path("spec"), path);
    }
    var policies = Trees.objects(spec, "volumeClaimPolicies");
    for (int i = 0; i < policies.size(); i++) {
      boolean placed =
          Trees.objects(policies.get(i), "templates").stream()
              .anyMatch(template -> !Trees.text(template, "metadata", "namespace").isEmpty());
      if (placed) {
        errors.add(
            invalid(
                path.field("volumeClaimPolicies").index(i),
                OMITTED,
                "namespace cannot be set for VolumeClaimPolicies templates"));
      }
    }
  }

  /** Compared only where both objects have the field (JS-66). */
  private void immutable(JsonNode spec, JsonNode old, FieldPath path) {
    for (String field : List.of("failurePolicy", "network", "startupPolicy", "successPolicy")) {
      changed(spec.path(field), old.path(field), path.field(field));
    }
    var jobs = Trees.objects(spec, "replicatedJobs");
    for (int i = 0; i < jobs.size(); i++) {
      FieldPath at = path.field("replicatedJobs").index(i).field("dependsOn");
      for (ObjectNode before : Trees.objects(old, "replicatedJobs")) {
        if (Trees.text(before, "name").equals(Trees.text(jobs.get(i), "name"))) {
          changed(jobs.get(i).path("dependsOn"), before.path("dependsOn"), at);
        }
      }
    }
    changed(
        spec.path("volumeClaimPolicies"),
        old.path("volumeClaimPolicies"),
        path.field("volumeClaimPolicies"));
  }

  private void changed(JsonNode now, JsonNode before, FieldPath path) {
    if (!now.isMissingNode() && !before.isMissingNode() && !now.equals(before)) {
      errors.add(invalid(path, OMITTED, IMMUTABLE));
    }
  }
}
