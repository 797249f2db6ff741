package dev.regroup.api.admission.field;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;

/** Checks of {@code metadata} that all kinds share, with Kubernetes' texts. */
public final class Metadata {

  private static final FieldPath PATH = FieldPath.of("metadata");
  private static final int MAX_ANNOTATIONS = 256 * 1024;
  private static final Set<String> PLAIN_FINALIZERS =
      Set.of("kubernetes", "orphan", "foregroundDeletion");

  /** Kinds whose name is one DNS label. */
  private static final Set<String> LABEL_NAMES = Set.of("Namespace");

  /** Kinds whose name becomes a path segment and nothing else. */
  private static final Set<String> PATH_NAMES =
      Set.of("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding");

  /** Far more than anyone needs, and as much as the store can take, in any script. */
  private static final int LONGEST_NAME = 16_384;

  private Metadata() {}

  /** Checks of a new object. */
  public static List<FieldError> create(GroupVersionKind kind, JsonNode metadata) {
    var errors = new ArrayList<FieldError>();
    Function<String, List<String>> rule = nameRule(kind);
    String prefix = Trees.text(metadata, "generateName");
    if (!prefix.isEmpty()) {
      // A trailing dash is fine here: five characters follow.
      String checked = prefix.endsWith("-") ? prefix.substring(0, prefix.length() - 1) : prefix;
      rule.apply(checked.isEmpty() ? "-" : checked)
          .forEach(problem ->
              errors.add(FieldError.invalid(PATH.field("generateName"), prefix, problem)));
    }
    String name = Trees.text(metadata, "name");
    if (name.isEmpty()) {
      errors.add(FieldError.required(PATH.field("name"), "name or generateName is required"));
    } else if (name.length() > LONGEST_NAME) {
      errors.add(FieldError.tooLong(PATH.field("name"), LONGEST_NAME));
    } else {
      rule.apply(name)
          .forEach(problem -> errors.add(FieldError.invalid(PATH.field("name"), name, problem)));
    }
    long generation = metadata.path("generation").asLong(0);
    if (generation < 0) {
      errors.add(
          FieldError.invalid(
              PATH.field("generation"), generation, "must be greater than or equal to 0"));
    }
    errors.addAll(labelled(metadata));
    errors.addAll(finalizers(metadata));
    return errors;
  }

  /** Checks of a change. */
  public static List<FieldError> update(GroupVersionKind kind, JsonNode metadata, JsonNode old) {
    var labelled = labelled(metadata);
    var finalizers = finalizers(metadata);
    var fixed = fixed(metadata, old);
    var errors = new ArrayList<FieldError>();
    for (int check = 0; check < 2; check++) { // as often as Kubernetes, which reports all of it
      errors.addAll(labelled);
      errors.addAll(finalizers);
      errors.addAll(fixed);
      errors.addAll(labelled);
    }
    return errors;
  }

  /** What no change may touch. */
  private static List<FieldError> fixed(JsonNode metadata, JsonNode old) {
    var errors = new ArrayList<FieldError>();
    if (Trees.has(old, "deletionTimestamp")) {
      var added = new LinkedHashSet<>(Trees.texts(metadata, "finalizers"));
      added.removeAll(Trees.texts(old, "finalizers"));
      if (!added.isEmpty()) {
        var quoted = added.stream().map(FieldError::quote).toList();
        errors.add(
            FieldError.forbidden(
                PATH.field("finalizers"),
                "no new finalizers can be added if the object is being deleted, found new"
                    + " finalizers []string{"
                    + String.join(", ", quoted)
                    + "}"));
      }
    }
    for (String field :
        List.of("name", "namespace", "uid", "creationTimestamp", "deletionTimestamp")) {
      String now = Trees.text(metadata, field);
      if (!now.equals(Trees.text(old, field))) {
        errors.add(FieldError.invalid(PATH.field(field), now, "field is immutable"));
      }
    }
    JsonNode grace = metadata.path("deletionGracePeriodSeconds");
    if (!Trees.same(grace, old.path("deletionGracePeriodSeconds"))) {
      errors.add(
          FieldError.invalid(
              PATH.field("deletionGracePeriodSeconds"), grace, "field is immutable"));
    }
    return errors;
  }

  /** Checks of an object that stands inside of another. */
  public static List<FieldError> embedded(FieldPath path, JsonNode metadata) {
    var errors = new ArrayList<FieldError>();
    String name = Trees.text(metadata, "name");
    pathSegment(name)
        .forEach(problem -> errors.add(FieldError.invalid(path.field("name"), name, problem)));
    errors.addAll(labels(path.field("labels"), metadata.path("labels")));
    errors.addAll(annotations(path.field("annotations"), metadata.path("annotations")));
    return errors;
  }

  private static List<FieldError> labelled(JsonNode metadata) {
    var errors = new ArrayList<FieldError>();
    errors.addAll(labels(PATH.field("labels"), metadata.path("labels")));
    errors.addAll(annotations(PATH.field("annotations"), metadata.path("annotations")));
    errors.addAll(owners(metadata.path("ownerReferences")));
    return errors;
  }

  /** Labels, also those of a pod template. */
  public static List<FieldError> labels(FieldPath path, JsonNode labels) {
    var errors = new ArrayList<FieldError>();
    for (String key : Trees.keys(labels)) {
      NameRules.qualified(key)
          .forEach(problem -> errors.add(FieldError.invalid(path, key, problem)));
      String value = Trees.text(labels, key);
      NameRules.labelValue(value)
          .forEach(problem -> errors.add(FieldError.invalid(path, value, problem)));
    }
    return errors;
  }

  public static List<FieldError> annotations(FieldPath path, JsonNode annotations) {
    var errors = new ArrayList<FieldError>();
    long size = 0;
    for (String key : Trees.keys(annotations)) {
      NameRules.qualified(key.toLowerCase(Locale.ROOT))
          .forEach(problem -> errors.add(FieldError.invalid(path, key, problem)));
      size += key.length() + Trees.text(annotations, key).length();
    }
    if (size > MAX_ANNOTATIONS) {
      errors.add(FieldError.tooLong(path, MAX_ANNOTATIONS));
    }
    return errors;
  }

  private static List<FieldError> owners(JsonNode owners) {
    var errors = new ArrayList<FieldError>();
    FieldPath path = PATH.field("ownerReferences");
    String controller = null;
    for (JsonNode owner : owners) {
      errors.addAll(owner(path, owner));
      if (!Trees.isTrue(owner, "controller")) {
        continue;
      }
      String text = Trees.text(owner, "kind") + "/" + Trees.text(owner, "name");
      if (controller != null) {
        errors.add(
            FieldError.invalid(
                path,
                owners,
                "Only one reference can have Controller set to true. Found \"true\" in references"
                    + " for "
                    + controller
                    + " and "
                    + text));
      } else {
        controller = text;
      }
    }
    return errors;
  }

  private static List<FieldError> owner(FieldPath path, JsonNode owner) {
    var errors = new ArrayList<FieldError>();
    String apiVersion = Trees.text(owner, "apiVersion");
    String[] parts = apiVersion.split("/", -1);
    String version = parts.length > 2 ? "" : parts[parts.length - 1];
    if (version.isEmpty()) {
      errors.add(
          FieldError.invalid(path.field("apiVersion"), apiVersion, "version must not be empty"));
    }
    for (String field : List.of("kind", "name", "uid")) {
      if (Trees.text(owner, field).isEmpty()) {
        errors.add(FieldError.invalid(path.field(field), "", "must not be empty"));
      }
    }
    if (apiVersion.equals("v1") && Trees.text(owner, "kind").equals("Event")) {
      errors.add(
          FieldError.invalid(path, owner, "/v1, Kind=Event is disallowed from being an owner"));
    }
    return errors;
  }

  private static List<FieldError> finalizers(JsonNode metadata) {
    var errors = new ArrayList<FieldError>();
    FieldPath path = PATH.field("finalizers");
    List<String> finalizers = Trees.texts(metadata, "finalizers");
    for (String finalizer : finalizers) {
      NameRules.qualified(finalizer)
          .forEach(problem -> errors.add(FieldError.invalid(path, finalizer, problem)));
    }
    if (finalizers.contains("orphan") && finalizers.contains("foregroundDeletion")) {
      errors.add(
          FieldError.invalid(
              path,
              metadata.path("finalizers"),
              "finalizer orphan and foregroundDeletion cannot be both set"));
    }
    for (int i = 0; i < finalizers.size(); i++) {
      errors.addAll(standard(path.index(i), finalizers.get(i)));
    }
    return errors;
  }

  /** A finalizer without a domain is one of Kubernetes' own. */
  private static List<FieldError> standard(FieldPath path, String finalizer) {
    return finalizer.contains("/") || PLAIN_FINALIZERS.contains(finalizer)
        ? List.of()
        : List.of(
            FieldError.invalid(
                path,
                finalizer,
                "name is neither a standard finalizer name nor is it fully qualified"));
  }

  /** One finalizer of a namespace's content, which names one place for both complaints. */
  public static List<FieldError> finalizer(FieldPath path, String finalizer) {
    var errors = new ArrayList<FieldError>();
    NameRules.qualified(finalizer)
        .forEach(problem -> errors.add(FieldError.invalid(path, finalizer, problem)));
    errors.addAll(standard(path, finalizer));
    return errors;
  }

  private static Function<String, List<String>> nameRule(GroupVersionKind kind) {
    if (LABEL_NAMES.contains(kind.kind())) {
      return NameRules::label;
    }
    if (kind.kind().equals("Service") && kind.group().isEmpty()) {
      return NameRules::label; // since the relaxed rule a digit may come first
    }
    boolean event = kind.kind().equals("Event") && kind.group().isEmpty();
    if (event || PATH_NAMES.contains(kind.kind())) {
      return Metadata::pathSegment;
    }
    return NameRules::subdomain;
  }

  /** What can stand between two slashes of an address. */
  public static List<String> pathSegment(String name) {
    if (name.equals(".") || name.equals("..")) {
      return List.of("may not be '" + name + "'");
    }
    var problems = new ArrayList<String>();
    for (String part : List.of("/", "%")) {
      if (name.contains(part)) {
        problems.add("may not contain '" + part + "'");
      }
    }
    return problems;
  }

  /** What a request may not change is taken from the stored object before anything is compared. */
  public static void keep(ObjectNode metadata, ObjectNode old) {
    for (String field : List.of("creationTimestamp", "generation", "selfLink")) {
      Trees.carry(old, metadata, field);
    }
    if (Trees.has(old, "deletionTimestamp")) {
      Trees.carry(old, metadata, "deletionTimestamp");
    }
    for (String field : List.of("uid", "namespace", "name", "deletionGracePeriodSeconds")) {
      if (!Trees.has(metadata, field)) {
        Trees.carry(old, metadata, field);
      }
    }
  }
}
