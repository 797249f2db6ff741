package dev.regroup.api.admission.jobset;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gate;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.KnownFields;
import dev.regroup.api.admission.field.Metadata;
import dev.regroup.api.admission.field.RefusalStatus;
import dev.regroup.api.admission.pod.DraftSpellings;
import dev.regroup.api.admission.review.AdmissionSettings;
import dev.regroup.api.admission.review.Admitted;
import dev.regroup.api.admission.review.KindAdmission;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.schema.Schema;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;

/**
 * Admission of JobSets. The schema speaks first; only an object that passes it reaches the checks
 * of JobSet's webhook, whose refusals name it (JS-43).
 */
public final class JobSetAdmission implements KindAdmission {

  /** How the warning about filled-in fields begins; the fields follow (JS-42b). */
  public static final String FILLED_IN = "in-place restart: filled in ";

  private static final String[] POD_SPEC = {"template", "spec", "template", "spec"};
  private static final String DENIED = "admission webhook \"vjobset.kb.io\" denied the request: ";

  private final AdmissionSettings settings;
  private final Schema schema;

  public JobSetAdmission(AdmissionSettings settings, Schema schema) {
    this.settings = settings;
    this.schema = schema;
  }

  @Override
  public Admitted fill(Review review) {
    ObjectNode jobSet = review.object();
    var warnings = new ArrayList<String>();
    var drafts = new ArrayList<FieldError>();
    switch (review.operation()) {
      case CREATE -> {
        ObjectNode spec = Trees.child(jobSet, "spec");
        fold(spec, warnings, drafts);
        JobSetDefaults.ofSchema(spec);
        JobSetDefaults.ofWebhook(spec);
        if (JobSetValidation.isInPlace(spec) && settings.gates().on(Gate.IN_PLACE_RESTART)) {
          var filled = JobSetDefaults.ofInPlaceRestart(jobSet);
          if (!filled.isEmpty()) {
            warnings.add(FILLED_IN + String.join(", ", filled));
          }
          warnOfOrder(spec, warnings);
        }
      }
      case UPDATE, UPDATE_EPHEMERAL_CONTAINERS, UPDATE_RESIZE -> {
        ObjectNode spec = Trees.child(jobSet, "spec");
        fold(spec, warnings, drafts);
        JobSetDefaults.ofSchema(spec);
        JobSetDefaults.again(jobSet, requireNonNull(review.old(), "old"));
      }
      case UPDATE_STATUS, DELETE, CONNECT, ACT -> {}
    }
    return review.passed(warnings, drafts);
  }

  @Override
  public Admitted judge(Review review, Lookup lookup) {
    return switch (review.operation()) {
      case CREATE -> create(review, lookup);
      case UPDATE, UPDATE_EPHEMERAL_CONTAINERS, UPDATE_RESIZE -> update(review, lookup);
      case UPDATE_STATUS -> updateStatus(review);
      case DELETE, CONNECT, ACT -> review.unchanged();
    };
  }

  private Admitted create(Review review, Lookup lookup) {
    ObjectNode jobSet = review.object();
    ObjectNode spec = Trees.child(jobSet, "spec");
    jobSet.remove("status");
    ObjectNode metadata = Trees.child(jobSet, "metadata");
    metadata.put("generation", 1);
    var warnings = new ArrayList<String>();
    var drafts = new ArrayList<>(review.found());
    var errors =
        new JobSetSchema(schema).check(jobSet, null, Metadata.create(review.kind(), metadata));
    if (!errors.isEmpty()) {
      return review.judge(jobSet, warnings, errors);
    }
    drafts.addAll(new JobSetValidation(settings.gates(), lookup, jobSet).create());
    warnOfFields(spec, warnings);
    return denyOrAccept(review, jobSet, warnings, drafts);
  }

  private Admitted update(Review review, Lookup lookup) {
    ObjectNode old = requireNonNull(review.old(), "old");
    ObjectNode jobSet = review.object();
    ObjectNode spec = Trees.child(jobSet, "spec");
    ObjectNode metadata = Trees.child(jobSet, "metadata");
    Metadata.keep(metadata, Trees.child(old.deepCopy(), "metadata"));
    Trees.carry(old, jobSet, "status");
    var drafts = new ArrayList<>(review.found());
    var errors =
        new JobSetSchema(schema)
            .check(jobSet, old, Metadata.update(review.kind(), metadata, old.path("metadata")));
    if (!errors.isEmpty()) {
      return review.judge(jobSet, List.of(), errors);
    }
    if (!spec.equals(old.path("spec"))) {
      Trees.putNumber(metadata, "generation", metadata.path("generation").asLong(0) + 1);
    }
    drafts.addAll(new JobSetUpdates(settings.gates(), lookup, jobSet, old).check());
    return denyOrAccept(review, jobSet, List.of(), drafts);
  }

  private Admitted updateStatus(Review review) {
    ObjectNode old = requireNonNull(review.old(), "old");
    ObjectNode jobSet = review.object();
    Trees.carry(old, jobSet, "spec");
    var resourceVersion = Trees.at(jobSet, "metadata", "resourceVersion");
    Trees.carry(old, jobSet, "metadata"); // a status write touches nothing else
    if (!resourceVersion.isMissingNode()) {
      Trees.child(jobSet, "metadata").set("resourceVersion", resourceVersion);
    }
    var errors = new JobSetSchema(schema).check(jobSet, old, List.of());
    return review.judge(jobSet, List.of(), errors);
  }

  private void fold(ObjectNode spec, List<String> warnings, List<FieldError> errors) {
    var jobs = Trees.objects(spec, "replicatedJobs");
    for (int i = 0; i < jobs.size(); i++) {
      FieldPath path =
          FieldPath.of("spec", "replicatedJobs")
              .index(i)
              .field("template", "spec", "template", "spec");
      Trees.object(jobs.get(i), "template", "spec", "template", "spec")
          .ifPresent(podSpec ->
              new DraftSpellings(settings.decoding(), warnings, errors).fold(podSpec, path));
    }
  }

  /** A barrier over parts that start one after the other needs care (JS-68). */
  private static void warnOfOrder(ObjectNode spec, List<String> warnings) {
    boolean inOrder = Trees.text(spec, "startupPolicy", "startupPolicyOrder").equals("InOrder");
    boolean depends =
        Trees.objects(spec, "replicatedJobs").stream().anyMatch(j -> Trees.has(j, "dependsOn"));
    if (inOrder || depends) {
      warnings.add(
          "spec.failurePolicy.restartStrategy: InPlaceRestart together with "
              + (inOrder ? "startupPolicy InOrder" : "dependsOn")
              + " deadlocks on other JobSet controllers; here parts linked by Ready share one"
              + " barrier");
    }
  }

  private void warnOfFields(ObjectNode spec, List<String> warnings) {
    var jobs = Trees.objects(spec, "replicatedJobs");
    for (int i = 0; i < jobs.size(); i++) {
      FieldPath path = FieldPath.of("spec", "replicatedJobs").index(i).field(POD_SPEC);
      warnings.addAll(KnownFields.ofPod(settings.gates(), Trees.at(jobs.get(i), POD_SPEC), path));
    }
  }

  private static Admitted denyOrAccept(
      Review review, ObjectNode jobSet, List<String> warnings, List<FieldError> errors) {
    if (errors.isEmpty()) {
      return new Admitted(jobSet, warnings, errors, null);
    }
    String name = Trees.text(jobSet, "metadata", "name");
    return new Admitted(
        jobSet, warnings, errors, RefusalStatus.denied(review.kind(), name, errors, DENIED));
  }
}
