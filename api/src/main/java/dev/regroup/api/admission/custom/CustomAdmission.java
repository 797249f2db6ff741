package dev.regroup.api.admission.custom;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.Metadata;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.admission.field.RefusalStatus;
import dev.regroup.api.admission.review.Admitted;
import dev.regroup.api.admission.review.KindAdmission;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.structural.CustomKind;
import dev.regroup.api.structural.EmbeddedObjects;
import dev.regroup.api.structural.ListInvariants;
import dev.regroup.api.structural.SchemaValidation;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Admission of objects of custom kinds: metadata, the schema, embedded objects, lists, and, when
 * nothing is wrong so far that would confuse them, the rules of the schema. Defaults are filled in
 * when an object is read, so there is nothing left to fill in here.
 */
public final class CustomAdmission implements KindAdmission {
  private static final Set<String> STANDARD_FINALIZERS =
      Set.of("orphan", "foregroundDeletion", "kubernetes");
  private static final String STATUS = "status";

  private final CustomKind custom;

  public CustomAdmission(CustomKind custom) {
    this.custom = custom;
  }

  @Override
  public Admitted fill(Review review) {
    return review.unchanged();
  }

  @Override
  public Admitted judge(Review review, Lookup lookup) {
    var wrongType = typeErrors(review.object());
    if (!wrongType.isEmpty()) {
      var given =
          GroupVersionKind.of(
              Trees.text(review.object(), "apiVersion"), Trees.text(review.object(), "kind"));
      return new Admitted(
          review.object(),
          List.of(),
          wrongType,
          RefusalStatus.invalid(given, Trees.text(review.object(), "metadata", "name"), wrongType));
    }
    return switch (review.operation()) {
      case CREATE -> create(review);
      case UPDATE, UPDATE_EPHEMERAL_CONTAINERS, UPDATE_RESIZE -> update(review);
      case UPDATE_STATUS -> updateStatus(review);
      case DELETE, CONNECT, ACT -> review.unchanged();
    };
  }

  private List<FieldError> typeErrors(ObjectNode object) {
    var errors = new ArrayList<FieldError>();
    var kind = Trees.text(object, "kind");
    if (!kind.equals(custom.kind().kind())) {
      errors.add(FieldError.invalid(FieldPath.of("kind"), kind, "must be " + custom.kind().kind()));
    }
    var version = Trees.text(object, "apiVersion");
    if (!version.equals(custom.kind().apiVersion())) {
      errors.add(
          FieldError.invalid(
              FieldPath.of("apiVersion"), version, "must be " + custom.kind().apiVersion()));
    }
    return errors;
  }

  private Admitted create(Review review) {
    var object = review.object();
    var metadata = Trees.child(object, "metadata");
    if (custom.hasStatus()) {
      object.remove(STATUS);
    }
    metadata.put("generation", 1);
    var errors = new ArrayList<>(plain(Metadata.create(neutral(), metadata)));
    errors.addAll(SchemaValidation.check(FieldPath.ROOT, object, custom.schema()));
    errors.addAll(scale(object));
    errors.addAll(EmbeddedObjects.check(FieldPath.ROOT, object, custom.schema()));
    errors.addAll(ListInvariants.check(FieldPath.ROOT, object, custom.schema()));
    errors.addAll(rules(object, null, errors));
    return review.judge(object, finalizerWarnings(object, null), errors);
  }

  private Admitted update(Review review) {
    var old = requireNonNull(review.old(), "old");
    var object = review.object();
    var metadata = Trees.child(object, "metadata");
    Metadata.keep(metadata, Trees.child(old.deepCopy(), "metadata"));
    if (custom.hasStatus()) {
      Trees.carry(old, object, STATUS);
    }
    if (!content(object).equals(content(old))) {
      Trees.putNumber(metadata, "generation", metadata.path("generation").asLong(0) + 1);
    }
    var errors = new ArrayList<>(plain(Metadata.update(neutral(), metadata, old.path("metadata"))));
    errors.addAll(SchemaValidation.check(FieldPath.ROOT, object, old, custom.schema()));
    errors.addAll(scale(object));
    errors.addAll(EmbeddedObjects.check(FieldPath.ROOT, object, custom.schema()));
    errors.addAll(lists(object, old));
    errors.addAll(rules(object, old, errors));
    return review.judge(object, finalizerWarnings(object, old), errors);
  }

  private Admitted updateStatus(Review review) {
    var old = requireNonNull(review.old(), "old");
    var wanted = review.object();
    var object = old.deepCopy();
    Trees.carry(wanted, object, STATUS);
    var metadata = Trees.child(object, "metadata");
    Trees.carry(Trees.child(wanted, "metadata"), metadata, "managedFields");
    var errors = new ArrayList<FieldError>();
    var schema = custom.schema().properties().get(STATUS);
    if (object.has(STATUS) && schema != null) {
      errors.addAll(
          SchemaValidation.check(
              FieldPath.of(STATUS), object.path(STATUS), old.path(STATUS), schema));
    }
    var scale = custom.scale();
    if (scale != null) {
      errors.addAll(scale.checkStatus(object));
    }
    errors.addAll(lists(object, old));
    errors.addAll(rules(object, old, errors));
    return review.judge(object, List.of(), errors);
  }

  /** A kind whose name is no other kind's: only names of objects that are subdomains are right. */
  private GroupVersionKind neutral() {
    return new GroupVersionKind(custom.kind().group(), custom.kind().version(), "");
  }

  /** A finalizer without a domain is a bad idea, but nobody's mistake. */
  private static List<FieldError> plain(List<FieldError> errors) {
    return errors.stream()
        .filter(error -> !error.detail().startsWith("name is neither a standard finalizer"))
        .toList();
  }

  private static List<String> finalizerWarnings(ObjectNode object, @Nullable ObjectNode old) {
    var added = new TreeSet<>(Trees.texts(object, "metadata", "finalizers"));
    if (old != null) {
      Trees.texts(old, "metadata", "finalizers").forEach(added::remove);
    }
    var warnings = new ArrayList<String>();
    for (String name : added) {
      var lead = "metadata.finalizers: " + FieldError.quote(name) + ": ";
      NameRules.qualified(name).forEach(problem -> warnings.add(lead + problem));
      if (!name.contains("/") && !STANDARD_FINALIZERS.contains(name)) {
        warnings.add(
            lead
                + "prefer a domain-qualified finalizer name "
                + (name.contains(".") ? "including a path (/) " : "")
                + "to avoid accidental conflicts with other finalizer writers");
      }
    }
    return warnings;
  }

  private List<FieldError> scale(ObjectNode object) {
    var scale = custom.scale();
    if (scale == null) {
      return List.of();
    }
    var errors = new ArrayList<>(scale.checkSpec(object));
    errors.addAll(scale.checkStatus(object));
    return errors;
  }

  /** What was twice before may stay twice. */
  private List<FieldError> lists(ObjectNode object, ObjectNode old) {
    return ListInvariants.check(FieldPath.ROOT, old, custom.schema()).isEmpty()
        ? ListInvariants.check(FieldPath.ROOT, object, custom.schema())
        : List.of();
  }

  private List<FieldError> rules(
      ObjectNode object, @Nullable ObjectNode old, List<FieldError> sofar) {
    if (!custom.schema().hasRules()) {
      return List.of();
    }
    var unchecked = FieldError.unchecked(sofar);
    if (unchecked.isPresent()) {
      return List.of(unchecked.get());
    }
    return custom.rules().check(FieldPath.ROOT, object, old);
  }

  private static ObjectNode content(ObjectNode object) {
    var copy = object.deepCopy();
    copy.remove("metadata");
    return copy;
  }
}
