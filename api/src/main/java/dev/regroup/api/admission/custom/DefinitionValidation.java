package dev.regroup.api.admission.custom;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.structural.RulePath;
import dev.regroup.api.structural.Structural;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks the spec of a definition. What all versions have in common is reported once, at the places
 * where older APIs had it: {@code spec.validation}, {@code spec.subresources} and so on.
 */
final class DefinitionValidation {
  private static final FieldPath SPEC = FieldPath.of("spec");
  private static final FieldPath VERSIONS = SPEC.field("versions");
  private static final int MOST_SELECTABLE = 8;
  private static final Set<String> SELECTABLE_TYPES = Set.of("string", "boolean", "integer");
  private static final List<String> COLUMN_TYPES =
      List.of("boolean", "date", "integer", "number", "string");
  private static final List<String> COLUMN_FORMATS =
      List.of("byte", "date", "date-time", "double", "float", "int32", "int64", "password");
  private static final int LONGEST_WARNING = 256;

  private final JsonNode spec;
  private final @Nullable ObjectNode old;
  private final List<ObjectNode> versions;
  private final List<FieldError> errors = new ArrayList<>();

  /**
   * @param old what is stored; null for a new definition
   */
  DefinitionValidation(ObjectNode definition, @Nullable ObjectNode old) {
    this.spec = definition.path("spec");
    this.old = old;
    this.versions = Trees.objects(spec, "versions");
  }

  List<FieldError> check() {
    group();
    scope();
    for (int i = 0; i < versions.size(); i++) {
      if (Trees.at(versions.get(i), "schema", "openAPIV3Schema").isMissingNode()) {
        errors.add(FieldError.required(VERSIONS.index(i).field("schema", "openAPIV3Schema"), ""));
      }
    }
    if (Trees.isTrue(spec, "preserveUnknownFields") && hasDefaults()) {
      errors.add(
          FieldError.invalid(
              SPEC.field("preserveUnknownFields"),
              true,
              "must be false in order to use defaults in the schema"));
    }
    versions();
    names();
    common();
    conversion();
    fixed();
    return errors;
  }

  private void group() {
    var group = Trees.text(spec, "group");
    var path = SPEC.field("group");
    var problems = NameRules.subdomain(group);
    if (group.isEmpty()) {
      errors.add(FieldError.required(path, ""));
    } else if (!problems.isEmpty()) {
      errors.add(FieldError.invalid(path, group, String.join(",", problems)));
    } else if (!group.contains(".")) {
      errors.add(FieldError.invalid(path, group, "should be a domain with at least one dot"));
    }
  }

  private void scope() {
    choice(SPEC.field("scope"), Trees.text(spec, "scope"), List.of("Cluster", "Namespaced"));
  }

  private void choice(FieldPath path, String value, List<String> known) {
    if (value.isEmpty()) {
      errors.add(FieldError.required(path, ""));
    } else if (!known.contains(value)) {
      errors.add(FieldError.notSupported(path, value, known));
    }
  }

  private boolean hasDefaults() {
    var found = new ArrayList<JsonNode>();
    for (ObjectNode version : versions) {
      SchemaForm.visit(
          Trees.at(version, "schema", "openAPIV3Schema"),
          schema -> {
            if (schema.has("default")) {
              found.add(schema);
            }
          });
    }
    return !found.isEmpty();
  }

  private void versions() {
    var names = new HashSet<String>();
    boolean unique = true;
    int stored = 0;
    for (int i = 0; i < versions.size(); i++) {
      var version = versions.get(i);
      var name = Trees.text(version, "name");
      unique &= names.add(name);
      stored += Trees.isTrue(version, "storage") ? 1 : 0;
      versionName(VERSIONS.index(i).field("name"), name);
      deprecation(version, VERSIONS.index(i).field("deprecationWarning"));
      ownParts(version, VERSIONS.index(i));
    }
    if (!unique) {
      errors.add(FieldError.invalid(VERSIONS, printed(), "must contain unique version names"));
    }
    if (stored != 1) {
      errors.add(
          FieldError.invalid(
              VERSIONS, printed(), "must have exactly one version marked as storage version"));
    }
    if (!versions.isEmpty()) {
      var first = Trees.text(versions.getFirst(), "name");
      if (!first.isEmpty()) {
        versionName(SPEC.field("version"), first);
      }
    }
  }

  private JsonNode printed() {
    return FieldError.internal(spec.path("versions"));
  }

  private void versionName(FieldPath path, String name) {
    var problems = NameRules.label1035(name);
    if (!problems.isEmpty()) {
      errors.add(FieldError.invalid(path, name, String.join(",", problems)));
    }
  }

  private void deprecation(ObjectNode version, FieldPath path) {
    if (!version.has("deprecationWarning")) {
      return;
    }
    var text = Trees.text(version, "deprecationWarning");
    if (!Trees.isTrue(version, "deprecated")) {
      errors.add(FieldError.invalid(path, text, "can only be set for deprecated versions"));
      return;
    }
    if (text.length() > LONGEST_WARNING) {
      errors.add(FieldError.invalid(path, text, "must be <= 256 characters long"));
    }
    if (text.isEmpty()) {
      errors.add(FieldError.invalid(path, text, "must not be an empty string"));
    }
    for (int i = 0; i < text.length(); i++) {
      if (Character.isISOControl(text.charAt(i))) {
        errors.add(
            FieldError.invalid(
                path,
                text,
                "must only contain printable UTF-8 characters; non-printable character found at"
                    + " index "
                    + i));
        return;
      }
    }
  }

  /** What a version does not share with the others. */
  private void ownParts(ObjectNode version, FieldPath path) {
    if (!isCommon("schema")) {
      schema(version.path("schema"), path.field("schema"), hasStatus(version));
    }
    if (!isCommon("subresources")) {
      subresources(version.path("subresources"), path.field("subresources"));
    }
    if (!isCommon("additionalPrinterColumns")) {
      columns(version, path.field("additionalPrinterColumns"));
    }
    if (!isCommon("selectableFields")) {
      selectable(version, path.field("selectableFields"));
    }
  }

  private void common() {
    if (versions.isEmpty()) {
      return;
    }
    var first = versions.getFirst();
    if (isCommon("schema")) {
      boolean status = versions.stream().anyMatch(DefinitionValidation::hasStatus);
      schema(first.path("schema"), SPEC.field("validation"), status);
    }
    if (isCommon("subresources")) {
      subresources(first.path("subresources"), SPEC.field("subresources"));
    }
    if (isCommon("additionalPrinterColumns")) {
      columns(first, SPEC.field("additionalPrinterColumns"));
    }
    if (isCommon("selectableFields")) {
      selectable(first, SPEC.field("selectableFields"));
    }
  }

  private boolean isCommon(String field) {
    var first = versions.getFirst().path(field);
    return versions.stream().allMatch(version -> version.path(field).equals(first));
  }

  private static boolean hasStatus(JsonNode version) {
    return version.path("subresources").has("status");
  }

  private void schema(JsonNode validation, FieldPath path, boolean status) {
    if (validation.path("openAPIV3Schema") instanceof ObjectNode schema) {
      errors.addAll(
          new SchemaCheck(schema, path.field("openAPIV3Schema"), isStored(schema)).check(status));
    }
  }

  /** Whether the definition had this schema before. */
  private boolean isStored(ObjectNode schema) {
    return old != null
        && Trees.objects(old, "spec", "versions").stream()
            .anyMatch(version -> Trees.at(version, "schema", "openAPIV3Schema").equals(schema));
  }

  private void subresources(JsonNode subresources, FieldPath path) {
    var scale = subresources.path("scale");
    if (scale.isMissingNode()) {
      return;
    }
    replicas(scale, "specReplicasPath", ".spec", path);
    replicas(scale, "statusReplicasPath", ".status", path);
    var selector = Trees.text(scale, "labelSelectorPath");
    var at = path.field("scale.labelSelectorPath");
    if (selector.isEmpty() || !simple(selector, at)) {
      return;
    }
    if (!selector.startsWith(".spec.") && !selector.startsWith(".status.")) {
      errors.add(
          FieldError.invalid(at, selector, "should be a json path under either .spec or .status"));
    }
  }

  private void replicas(JsonNode scale, String field, String root, FieldPath path) {
    var value = Trees.text(scale, field);
    var at = path.field("scale." + field);
    if (value.isEmpty()) {
      errors.add(FieldError.required(at, ""));
    } else if (simple(value, at) && !value.startsWith(root + ".")) {
      errors.add(FieldError.invalid(at, value, "should be a json path under " + root));
    }
  }

  private boolean simple(String value, FieldPath path) {
    if (value.startsWith(".")) {
      return true;
    }
    errors.add(FieldError.invalid(path, value, "must be a simple json path starting with ."));
    return false;
  }

  private void columns(ObjectNode version, FieldPath path) {
    var columns = Trees.objects(version, "additionalPrinterColumns");
    for (int i = 0; i < columns.size(); i++) {
      column(columns.get(i), path.index(i));
    }
  }

  private void column(ObjectNode column, FieldPath path) {
    if (Trees.text(column, "name").isEmpty()) {
      errors.add(FieldError.required(path.field("name"), ""));
    }
    var type = Trees.text(column, "type");
    var types = "must be one of " + String.join(",", COLUMN_TYPES);
    if (type.isEmpty()) {
      errors.add(FieldError.required(path.field("type"), types));
    } else if (!COLUMN_TYPES.contains(type)) {
      errors.add(FieldError.invalid(path.field("type"), type, types));
    }
    var format = Trees.text(column, "format");
    if (!format.isEmpty() && !COLUMN_FORMATS.contains(format)) {
      errors.add(
          FieldError.invalid(
              path.field("format"), format, "must be one of " + String.join(",", COLUMN_FORMATS)));
    }
    var at = path.field("JSONPath");
    var jsonPath = Trees.text(column, "jsonPath");
    if (jsonPath.isEmpty()) {
      errors.add(FieldError.required(at, ""));
    } else {
      var _ = simple(jsonPath, at);
    }
  }

  private void selectable(ObjectNode version, FieldPath path) {
    var fields = Trees.objects(version, "selectableFields");
    if (fields.isEmpty()) {
      return;
    }
    var schema = Structural.of(Trees.at(version, "schema", "openAPIV3Schema"));
    var unique = new LinkedHashSet<String>();
    for (int i = 0; i < fields.size(); i++) {
      var text = Trees.text(fields.get(i), "jsonPath");
      var at = path.index(i).field("jsonPath");
      if (text.isEmpty()) {
        errors.add(FieldError.required(at, ""));
        continue;
      }
      var found = RulePath.of(text, schema, RulePath.Brackets.REFUSED);
      if (!found.problem().isEmpty()) {
        errors.add(FieldError.invalid(at, text, "is an invalid path: " + found.problem()));
        continue;
      }
      if (text.startsWith(".metadata.") || text.equals(".metadata")) {
        errors.add(FieldError.invalid(at, text, "must not point to fields in metadata"));
      }
      var target = found.schema();
      if (target == null || !SELECTABLE_TYPES.contains(target.type())) {
        errors.add(
            FieldError.invalid(
                at,
                text,
                "must point to a field of type string, boolean or integer. Enum string fields and"
                    + " strings with formats are allowed."));
      }
      if (!unique.add(found.path().toString())) {
        errors.add(FieldError.duplicate(at, text));
      }
    }
    if (unique.size() > MOST_SELECTABLE) {
      errors.add(FieldError.tooMany(path, unique.size(), MOST_SELECTABLE));
    }
  }

  private void names() {
    var names = spec.path("names");
    var path = SPEC.field("names");
    errors.addAll(DefinitionNames.required(names, path));
    errors.addAll(DefinitionNames.check(names, path));
  }

  private void conversion() {
    var conversion = spec.path("conversion");
    var path = SPEC.field("conversion");
    var strategy = Trees.text(conversion, "strategy");
    choice(path.field("strategy"), strategy, List.of("None", "Webhook"));
    if (strategy.equals("Webhook")) {
      errors.add(
          FieldError.invalid(
              path.field("strategy"),
              strategy,
              "conversion webhooks are not called here, versions are converted by their apiVersion"
                  + " alone: use None"));
      return;
    }
    for (String field : List.of("clientConfig", "conversionReviewVersions")) {
      if (conversion.path("webhook").has(field)) {
        errors.add(
            FieldError.forbidden(
                path.field(field.equals("clientConfig") ? "webhookClientConfig" : field),
                "should not be set when strategy is not set to Webhook"));
      }
    }
  }

  /** What a definition cannot change: it would be another kind. */
  private void fixed() {
    if (old == null) {
      return;
    }
    var before = old.path("spec");
    if (isEstablished(old)) {
      same(SPEC.field("scope"), Trees.at(spec, "scope"), before.path("scope"));
      same(
          SPEC.field("names", "kind"),
          Trees.at(spec, "names", "kind"),
          Trees.at(before, "names", "kind"));
    }
    same(SPEC.field("group"), spec.path("group"), before.path("group"));
    same(
        SPEC.field("names", "plural"),
        Trees.at(spec, "names", "plural"),
        Trees.at(before, "names", "plural"));
  }

  private void same(FieldPath path, JsonNode now, JsonNode before) {
    if (!now.equals(before)) {
      errors.add(FieldError.invalid(path, now.asText(""), "field is immutable"));
    }
  }

  private static boolean isEstablished(ObjectNode definition) {
    return Trees.objects(definition, "status", "conditions").stream()
        .anyMatch(one ->
            Trees.text(one, "type").equals("Established")
                && Trees.text(one, "status").equals("True"));
  }
}
