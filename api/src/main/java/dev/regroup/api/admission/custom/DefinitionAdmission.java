package dev.regroup.api.admission.custom;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.Metadata;
import dev.regroup.api.admission.review.Admitted;
import dev.regroup.api.admission.review.KindAdmission;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.structural.StringFormats;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Admission of CustomResourceDefinitions. A write never sets conditions or accepted names: those
 * are the answer of whoever serves the kind. The versions that objects may be stored in are noted
 * here, with the write that makes a version the stored one.
 */
public final class DefinitionAdmission implements KindAdmission {
  private static final FieldPath STORED = FieldPath.of("status", "storedVersions");
  private static final String APPROVED = "api-approved.kubernetes.io";

  @Override
  public Admitted fill(Review review) {
    if (review.operation() != Operation.UPDATE_STATUS) {
      var spec = Trees.child(review.object(), "spec");
      SchemaForm.drop(spec);
      var names = Trees.child(spec, "names");
      var kind = Trees.text(names, "kind");
      if (!kind.isEmpty()) {
        Trees.fill(names, "singular", kind.toLowerCase(Locale.ROOT));
        Trees.fill(names, "listKind", kind + "List");
      }
      if (!spec.has("conversion")) {
        spec.putObject("conversion").put("strategy", "None");
      }
    }
    return review.unchanged();
  }

  @Override
  public Admitted judge(Review review, Lookup lookup) {
    return switch (review.operation()) {
      case CREATE -> create(review);
      case UPDATE, UPDATE_EPHEMERAL_CONTAINERS, UPDATE_RESIZE -> update(review);
      case UPDATE_STATUS -> updateStatus(review);
      case DELETE, CONNECT, ACT -> review.unchanged();
    };
  }

  private static Admitted create(Review review) {
    var object = review.object();
    var metadata = Trees.child(object, "metadata");
    metadata.put("generation", 1);
    var status = object.putObject("status");
    status.putObject("acceptedNames").put("plural", "").put("kind", "");
    noteStored(object);
    var errors = new ArrayList<>(Metadata.create(review.kind(), metadata));
    var name = Trees.text(metadata, "name");
    var names = Trees.at(object, "spec", "names");
    var wanted = Trees.text(names, "plural") + "." + Trees.text(object, "spec", "group");
    if (!name.equals(wanted)) {
      errors.add(
          FieldError.invalid(
              FieldPath.of("metadata", "name"),
              name,
              "must be spec.names.plural+\".\"+spec.group"));
    }
    errors.addAll(new DefinitionValidation(object, null).check());
    errors.addAll(rest(object, null));
    return review.judge(object, formatWarnings(object, Set.of()), errors);
  }

  private static Admitted update(Review review) {
    var old = requireNonNull(review.old(), "old");
    var object = review.object();
    var metadata = Trees.child(object, "metadata");
    Metadata.keep(metadata, Trees.child(old.deepCopy(), "metadata"));
    Trees.carry(old.deepCopy(), object, "status");
    noteStored(object);
    if (!object.path("spec").equals(old.path("spec"))) {
      Trees.putNumber(metadata, "generation", metadata.path("generation").asLong(0) + 1);
    }
    var errors = new ArrayList<>(Metadata.update(review.kind(), metadata, old.path("metadata")));
    errors.addAll(new DefinitionValidation(object, old).check());
    errors.addAll(rest(object, old));
    return review.judge(object, formatWarnings(object, unknownFormats(old)), errors);
  }

  private static Admitted updateStatus(Review review) {
    var old = requireNonNull(review.old(), "old");
    var object = review.object();
    Trees.carry(old, object, "spec");
    var metadata = Trees.child(object, "metadata");
    Metadata.keep(metadata, Trees.child(old.deepCopy(), "metadata"));
    var errors = new ArrayList<>(Metadata.update(review.kind(), metadata, old.path("metadata")));
    errors.addAll(acceptedNames(object));
    if (Trees.texts(object, "status", "storedVersions").isEmpty()) {
      noteStored(object);
    }
    return review.judge(object, List.of(), errors);
  }

  /** The version that objects are stored in from now on. */
  private static void noteStored(ObjectNode object) {
    for (ObjectNode version : Trees.objects(object, "spec", "versions")) {
      if (Trees.isTrue(version, "storage")) {
        var stored = Trees.list(Trees.child(object, "status"), "storedVersions");
        var name = Trees.text(version, "name");
        if (!Trees.texts(object, "status", "storedVersions").contains(name)) {
          stored.add(name);
        }
        return;
      }
    }
  }

  private static List<FieldError> rest(ObjectNode object, @Nullable ObjectNode old) {
    var errors = new ArrayList<FieldError>(acceptedNames(object));
    errors.addAll(storedVersions(object));
    errors.addAll(approval(object, old));
    if (Trees.isTrue(object, "spec", "preserveUnknownFields")) {
      errors.add(
          FieldError.invalid(
              FieldPath.of("spec", "preserveUnknownFields"),
              true,
              "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in"
                  + " spec.versions[*].schema instead"));
    }
    return errors;
  }

  private static List<FieldError> acceptedNames(ObjectNode object) {
    return DefinitionNames.check(
        Trees.at(object, "status", "acceptedNames"), FieldPath.of("status", "acceptedNames"));
  }

  private static List<FieldError> storedVersions(ObjectNode object) {
    var stored = Trees.texts(object, "status", "storedVersions");
    if (stored.isEmpty()) {
      return List.of(FieldError.invalid(STORED, null, "must have at least one stored version"));
    }
    var errors = new ArrayList<FieldError>();
    var served = new LinkedHashSet<String>();
    Trees.objects(object, "spec", "versions").forEach(one -> served.add(Trees.text(one, "name")));
    for (int i = 0; i < stored.size(); i++) {
      var version = stored.get(i);
      if (!served.contains(version)) {
        errors.add(
            FieldError.invalid(
                STORED.index(i),
                version,
                ("missing from spec.versions; %1$s was previously a storage version, and must"
                        + " remain in spec.versions until a storage migration ensures no data"
                        + " remains persisted in %1$s and removes %1$s from status.storedVersions")
                    .formatted(version)));
      }
    }
    return errors;
  }

  /** Groups of the community need a word of approval. */
  private static List<FieldError> approval(ObjectNode object, @Nullable ObjectNode old) {
    var group = "." + Trees.text(object, "spec", "group");
    if (!group.endsWith(".k8s.io") && !group.endsWith(".kubernetes.io")) {
      return List.of();
    }
    var given = Trees.text(object, "metadata", "annotations", APPROVED);
    boolean same =
        old != null
            && isApproved(Trees.text(old, "metadata", "annotations", APPROVED))
                == isApproved(given);
    if (same || isApproved(given)) {
      return List.of();
    }
    var path = FieldPath.of("metadata", "annotations").key(APPROVED);
    var lead = "protected groups must have approval annotation \"" + APPROVED + "\"";
    var see = ", see https://github.com/kubernetes/enhancements/pull/1111";
    return List.of(
        given.isEmpty()
            ? FieldError.required(path, lead + see)
            : FieldError.invalid(
                path,
                given,
                lead + " with either a URL or a reason starting with \"unapproved\"" + see));
  }

  private static boolean isApproved(String text) {
    return text.startsWith("unapproved") || text.matches("[a-zA-Z][a-zA-Z0-9+.-]*://[^/]+.*");
  }

  private static List<String> formatWarnings(ObjectNode object, Set<String> known) {
    return unknownFormats(object).stream()
        .filter(format -> !known.contains(format))
        .map(format -> "unrecognized format " + FieldError.quote(format))
        .toList();
  }

  private static Set<String> unknownFormats(ObjectNode object) {
    var formats = new LinkedHashSet<String>();
    for (ObjectNode version : Trees.objects(object, "spec", "versions")) {
      SchemaForm.visit(
          Trees.at(version, "schema", "openAPIV3Schema"), schema -> unknown(schema, formats));
    }
    return formats;
  }

  private static void unknown(JsonNode schema, Set<String> formats) {
    var format = Trees.text(schema, "format");
    if (!format.isEmpty() && !StringFormats.isKnown(Trees.text(schema, "type"), format)) {
      formats.add(format);
    }
  }
}
