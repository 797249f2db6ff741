package dev.regroup.api.admission.pod;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.container.PodOptions;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.Metadata;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.admission.review.AdmissionSettings;
import dev.regroup.api.admission.review.Admitted;
import dev.regroup.api.admission.review.KindAdmission;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.pod.QosClass;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;

/** Admission of pods: create, update, status, ephemeral containers and resize. */
public final class PodAdmission implements KindAdmission {

  private static final FieldPath SPEC = FieldPath.of("spec");

  private final AdmissionSettings settings;

  public PodAdmission(AdmissionSettings settings) {
    this.settings = settings;
  }

  @Override
  public Admitted fill(Review review) {
    return switch (review.operation()) {
      case CREATE, UPDATE -> {
        if (review.keeps("spec")) {
          yield review.unchanged(); // it was filled in when it was written
        }
        ObjectNode spec = Trees.child(review.object(), "spec");
        var warnings = new ArrayList<String>();
        var errors = new ArrayList<FieldError>();
        new DraftSpellings(settings.decoding(), warnings, errors).fold(spec, SPEC);
        PodDefaults.ofPod(spec);
        yield review.passed(warnings, errors);
      }
      case UPDATE_STATUS, UPDATE_EPHEMERAL_CONTAINERS, UPDATE_RESIZE, DELETE, CONNECT, ACT ->
          review.unchanged();
    };
  }

  @Override
  public Admitted judge(Review review, Lookup lookup) {
    return switch (review.operation()) {
      case CREATE -> create(review);
      case UPDATE -> update(review);
      case UPDATE_STATUS -> updateStatus(review);
      case UPDATE_EPHEMERAL_CONTAINERS -> updateEphemeral(review);
      case UPDATE_RESIZE -> resize(review, lookup);
      case DELETE, CONNECT, ACT -> review.unchanged();
    };
  }

  private Admitted create(Review review) {
    ObjectNode pod = review.object();
    ObjectNode spec = Trees.child(pod, "spec");
    var warnings = new ArrayList<String>();
    var errors = new ArrayList<>(review.found());
    var options = PodOptions.of(settings.gates(), null);
    options.drop(spec);
    LabelKeys.merge(pod, spec);
    firstStatus(pod, spec);
    errors.addAll(0, Metadata.create(review.kind(), pod.path("metadata")));
    errors.addAll(PodValidation.pod(options, pod));
    if (Trees.has(spec, "ephemeralContainers")) {
      errors.add(
          FieldError.forbidden(SPEC.field("ephemeralContainers"), "cannot be set on create"));
    }
    if (Trees.has(spec, "nodeName") && Trees.has(spec, "schedulingGates")) {
      errors.add(
          FieldError.forbidden(
              SPEC.field("nodeName"), "cannot be set until all schedulingGates have been cleared"));
    }
    if (errors.isEmpty()) {
      var unfit = NameRules.label(Trees.text(pod, "metadata", "name"));
      if (!unfit.isEmpty()) {
        warnings.add(
            "metadata.name: this is used in the Pod's hostname, which can result in surprising"
                + " behavior; a DNS label is recommended: ["
                + String.join(" ", unfit)
                + "]");
      }
      warnings.addAll(PodWarnings.of(settings.gates(), pod, FieldPath.ROOT));
    }
    return review.judge(pod, warnings, errors);
  }

  private static void firstStatus(ObjectNode pod, ObjectNode spec) {
    ObjectNode metadata = Trees.child(pod, "metadata");
    metadata.put("generation", 1);
    ObjectNode status = pod.putObject("status").put("phase", "Pending");
    if (!spec.path("schedulingGates").isEmpty()) {
      status
          .putArray("conditions")
          .addObject()
          .put("type", "PodScheduled")
          .put("status", "False")
          .put("lastTransitionTime", Trees.text(metadata, "creationTimestamp"))
          .put("reason", "SchedulingGated")
          .put("message", "Scheduling is blocked due to non-empty scheduling gates");
    }
    status.put("qosClass", QosClass.ofSpec(spec).wireName());
  }

  private Admitted update(Review review) {
    ObjectNode old = requireNonNull(review.old(), "old");
    ObjectNode pod = review.object();
    ObjectNode spec = Trees.child(pod, "spec");
    var errors = new ArrayList<>(review.found());
    var options = PodOptions.of(settings.gates(), part(old, "spec"));
    if (!review.keeps("spec")) {
      options.drop(spec);
    }
    Metadata.keep(Trees.child(pod, "metadata"), part(old, "metadata"));
    keepPart(old, pod, "status");
    errors.addAll(0, Metadata.update(review.kind(), pod.path("metadata"), old.path("metadata")));
    if (spec.equals(part(old, "spec"))) { // checked when it was written: most change metadata
      keepPart(old, pod, "spec");
      errors.addAll(PodValidation.annotations(pod));
      return review.judge(pod, List.of(), errors);
    }
    ObjectNode oldSpec = part(old, "spec").deepCopy();
    errors.addAll(PodValidation.pod(options, pod));
    errors.addAll(PodUpdates.check(spec, oldSpec));
    bumpGeneration(pod, spec, oldSpec);
    return review.judge(pod, List.of(), errors);
  }

  private Admitted updateStatus(Review review) {
    ObjectNode old = requireNonNull(review.old(), "old");
    ObjectNode pod = review.object();
    ObjectNode metadata = Trees.child(pod, "metadata");
    keepPart(old, pod, "spec");
    ObjectNode oldMetadata = part(old, "metadata");
    metadata.remove("deletionTimestamp"); // a status says nothing about it
    Metadata.keep(metadata, oldMetadata);
    Trees.carry(oldMetadata, metadata, "ownerReferences");
    PodStatusFill.fill(Trees.child(pod, "status"), part(old, "status"));
    var errors = new ArrayList<>(Metadata.update(review.kind(), metadata, oldMetadata));
    errors.addAll(new PodStatusGuard(settings.gates()).check(pod, old));
    return review.judge(pod, List.of(), errors);
  }

  private Admitted updateEphemeral(Review review) {
    ObjectNode old = requireNonNull(review.old(), "old");
    ObjectNode pod = old.deepCopy();
    keepBooks(review, pod);
    ObjectNode spec = Trees.child(pod, "spec");
    JsonNode wanted = Trees.at(review.object(), "spec", "ephemeralContainers");
    if (!wanted.isMissingNode()) {
      spec.set("ephemeralContainers", wanted.deepCopy());
    } else {
      spec.remove("ephemeralContainers");
    }
    PodDefaults.ofPod(spec);
    ObjectNode oldSpec = part(old, "spec").deepCopy();
    var options = PodOptions.of(settings.gates(), oldSpec);
    var errors = new ArrayList<>(PodValidation.pod(options, pod));
    errors.addAll(PodUpdates.ephemeral(spec, oldSpec));
    bumpGeneration(pod, spec, oldSpec);
    return review.judge(pod, List.of(), errors);
  }

  private Admitted resize(Review review, Lookup lookup) {
    ObjectNode old = requireNonNull(review.old(), "old");
    ObjectNode pod = PodResize.taken(review.object(), old);
    keepBooks(review, pod);
    ObjectNode spec = Trees.child(pod, "spec");
    PodDefaults.ofPod(spec);
    ObjectNode oldSpec = part(old, "spec").deepCopy();
    var options = PodOptions.of(settings.gates(), oldSpec);
    options.drop(spec);
    var errors = new ArrayList<>(PodValidation.pod(options, pod));
    errors.addAll(PodResize.check(pod, old, lookup));
    bumpGeneration(pod, spec, oldSpec);
    return review.judge(pod, List.of(), errors);
  }

  /** Who manages which fields was noted before admission, in the new object. */
  private static void keepBooks(Review review, ObjectNode pod) {
    Trees.carry(part(review.object(), "metadata"), Trees.child(pod, "metadata"), "managedFields");
  }

  /** One part of a stored pod, to read only. */
  private static ObjectNode part(ObjectNode pod, String name) {
    return Trees.object(pod, name).orElseGet(Wire::object);
  }

  /** The stored part itself, not a copy: nobody changes it from here on. */
  private static void keepPart(ObjectNode old, ObjectNode pod, String name) {
    if (Trees.has(old, name)) {
      pod.set(name, old.path(name));
    } else {
      pod.remove(name);
    }
  }

  private static void bumpGeneration(ObjectNode pod, ObjectNode spec, ObjectNode oldSpec) {
    if (!spec.equals(oldSpec)) {
      ObjectNode metadata = Trees.child(pod, "metadata");
      Trees.putNumber(metadata, "generation", metadata.path("generation").asLong(0) + 1);
    }
  }
}
