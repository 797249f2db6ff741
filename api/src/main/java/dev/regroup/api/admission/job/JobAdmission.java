package dev.regroup.api.admission.job;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.container.PodOptions;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.Metadata;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.admission.pod.DraftSpellings;
import dev.regroup.api.admission.pod.PodWarnings;
import dev.regroup.api.admission.review.AdmissionSettings;
import dev.regroup.api.admission.review.Admitted;
import dev.regroup.api.admission.review.KindAdmission;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;

/** Admission of Jobs: create, update, status. */
public final class JobAdmission implements KindAdmission {

  private static final FieldPath POD_SPEC = FieldPath.of("spec", "template", "spec");

  private final AdmissionSettings settings;

  public JobAdmission(AdmissionSettings settings) {
    this.settings = settings;
  }

  @Override
  public Admitted fill(Review review) {
    return switch (review.operation()) {
      case CREATE, UPDATE, UPDATE_EPHEMERAL_CONTAINERS, UPDATE_RESIZE -> {
        ObjectNode spec = Trees.child(review.object(), "spec");
        ObjectNode podSpec = Trees.child(Trees.child(spec, "template"), "spec");
        var warnings = new ArrayList<String>();
        var errors = new ArrayList<FieldError>();
        new DraftSpellings(settings.decoding(), warnings, errors).fold(podSpec, POD_SPEC);
        JobDefaults.apply(spec);
        yield review.passed(warnings, errors);
      }
      case UPDATE_STATUS, DELETE, CONNECT, ACT -> review.unchanged();
    };
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

  private Admitted create(Review review) {
    ObjectNode job = review.object();
    var warnings = new ArrayList<String>();
    var errors = new ArrayList<>(review.found());
    var options = PodOptions.of(settings.gates(), null);
    options.drop(Trees.child(Trees.child(Trees.child(job, "spec"), "template"), "spec"));
    job.putObject("status");
    ObjectNode metadata = Trees.child(job, "metadata");
    boolean labelled = !Trees.at(job, "spec", "template", "metadata", "labels").isEmpty();
    JobDefaults.select(job);
    if (labelled) {
      copyLabels(job, metadata); // those of the template are checked here as well
    }
    metadata.put("generation", 1);
    errors.addAll(0, Metadata.create(review.kind(), metadata));
    errors.addAll(new JobValidation(options).job(job));
    if (errors.isEmpty()) {
      warnOfName(job, warnings);
      warn(job.path("spec"), warnings);
    }
    copyLabels(job, metadata);
    return review.judge(job, warnings, errors);
  }

  private static void warnOfName(ObjectNode job, List<String> warnings) {
    var unfit = NameRules.label(Trees.text(job, "metadata", "name"));
    if (!unfit.isEmpty()) {
      warnings.addFirst(
          "metadata.name: this is used in Pod names and hostnames, which can result in surprising"
              + " behavior; a DNS label is recommended: "
              + unfit);
    }
  }

  private void warn(JsonNode spec, List<String> warnings) {
    boolean many =
        spec.path("completions").asLong() > 100_000 && spec.path("parallelism").asLong() > 10_000;
    if (JobValidation.isIndexed(spec) && many) {
      warnings.add(
          "spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism"
              + " higher than 10^4, Kubernetes might not be able to track completedIndexes when a"
              + " big number of indexes fail");
    }
    warnings.addAll(
        PodWarnings.of(settings.gates(), spec.path("template"), FieldPath.of("spec", "template")));
  }

  /** After the checks, as in Kubernetes, where the first reader does it (JB-16). */
  private static void copyLabels(ObjectNode job, ObjectNode metadata) {
    JsonNode labels = Trees.at(job, "spec", "template", "metadata", "labels");
    if (metadata.path("labels").isEmpty() && !labels.isEmpty()) {
      metadata.set("labels", labels.deepCopy());
    }
  }

  private Admitted update(Review review) {
    ObjectNode old = requireNonNull(review.old(), "old");
    ObjectNode job = review.object();
    var errors = new ArrayList<>(review.found());
    var options = PodOptions.of(settings.gates(), Trees.at(old, "spec", "template", "spec"));
    options.drop(Trees.child(Trees.child(Trees.child(job, "spec"), "template"), "spec"));
    ObjectNode metadata = Trees.child(job, "metadata");
    Metadata.keep(metadata, Trees.child(old.deepCopy(), "metadata"));
    Trees.carry(old, job, "status");
    copyLabels(job, metadata);
    var validation = new JobValidation(options);
    errors.addAll(validation.job(job));
    errors.addAll(Metadata.update(review.kind(), metadata, old.path("metadata")));
    errors.addAll(validation.spec(job.path("spec"))); // Kubernetes reports these twice
    errors.addAll(JobUpdates.check(job, old));
    var warnings = new ArrayList<String>();
    if (!job.path("spec").equals(old.path("spec"))) {
      Trees.putNumber(metadata, "generation", metadata.path("generation").asLong(0) + 1);
      if (errors.isEmpty()) {
        warn(job.path("spec"), warnings);
      }
    }
    return review.judge(job, warnings, errors);
  }

  private Admitted updateStatus(Review review) {
    ObjectNode old = requireNonNull(review.old(), "old");
    ObjectNode job = review.object();
    Trees.carry(old, job, "spec");
    ObjectNode metadata = Trees.child(job, "metadata");
    Metadata.keep(metadata, Trees.child(old.deepCopy(), "metadata"));
    Trees.child(job, "status");
    var errors = new ArrayList<>(Metadata.update(review.kind(), metadata, old.path("metadata")));
    errors.addAll(JobStatusGuard.check(job, old));
    return review.judge(job, List.of(), errors);
  }
}
