package dev.regroup.api.admission.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.container.PodOptions;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.Metadata;
import dev.regroup.api.admission.review.AdmissionSettings;
import dev.regroup.api.admission.review.Admitted;
import dev.regroup.api.admission.review.KindAdmission;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;

/** Admission of pod templates that stand alone: the checks a Job makes of its own template. */
public final class PodTemplateAdmission implements KindAdmission {

  private static final FieldPath TEMPLATE = FieldPath.of("template");

  private final AdmissionSettings settings;

  public PodTemplateAdmission(AdmissionSettings settings) {
    this.settings = settings;
  }

  @Override
  public Admitted fill(Review review) {
    ObjectNode spec = Trees.child(Trees.child(review.object(), "template"), "spec");
    var warnings = new ArrayList<String>();
    var errors = new ArrayList<FieldError>();
    new DraftSpellings(settings.decoding(), warnings, errors).fold(spec, TEMPLATE.field("spec"));
    PodDefaults.ofTemplate(spec);
    return review.passed(warnings, errors);
  }

  @Override
  public Admitted judge(Review review, Lookup lookup) {
    ObjectNode old = review.old();
    ObjectNode object = review.object();
    ObjectNode template = Trees.child(object, "template");
    ObjectNode spec = Trees.child(template, "spec");
    var warnings = new ArrayList<String>();
    var errors = new ArrayList<>(review.found());
    JsonNode stored = old == null ? null : Trees.at(old, "template", "spec");
    var options = PodOptions.of(settings.gates(), stored);
    options.drop(spec);
    ObjectNode metadata = Trees.child(object, "metadata");
    if (old == null) {
      metadata.put("generation", 1);
      errors.addAll(0, Metadata.create(review.kind(), metadata));
    } else {
      Metadata.keep(metadata, Trees.child(old.deepCopy(), "metadata"));
      errors.addAll(0, Metadata.update(review.kind(), metadata, old.path("metadata")));
      if (!template.equals(old.path("template"))) {
        Trees.putNumber(metadata, "generation", metadata.path("generation").asLong(0) + 1);
      }
    }
    errors.addAll(PodValidation.template(options, template, TEMPLATE));
    if (errors.isEmpty()) {
      warnings.addAll(PodWarnings.of(settings.gates(), template, TEMPLATE));
    }
    return review.judge(object, warnings, errors);
  }
}
