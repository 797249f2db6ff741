package dev.regroup.api.admission.jobset;

import static dev.regroup.api.admission.field.FieldError.invalid;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.pod.ProgressPattern;
import dev.regroup.api.pod.RestartGrace;
import dev.regroup.api.tree.Trees;
import java.util.List;

/**
 * The annotations {@code regroup.dev/restart-grace} (JS-169) and {@code
 * regroup.dev/progress-pattern} wherever they may stand.
 */
final class AnnotationChecks {

  private static final String PROBLEM =
      "must be a whole number of seconds from 0 to " + RestartGrace.MOST_SECONDS;

  private AnnotationChecks() {}

  static void check(ObjectNode jobSet, List<FieldError> errors) {
    own(jobSet, errors);
    var jobs = Trees.objects(jobSet.path("spec"), "replicatedJobs");
    for (int i = 0; i < jobs.size(); i++) {
      FieldPath path = FieldPath.of("spec", "replicatedJobs").index(i).field("template");
      JsonNode template = jobs.get(i).path("template");
      check(template, path, errors);
      check(Trees.at(template, "spec", "template"), path.field("spec", "template"), errors);
    }
  }

  /** Of the JobSet itself; the templates never change. */
  static void own(ObjectNode jobSet, List<FieldError> errors) {
    check(jobSet, FieldPath.ROOT, errors);
  }

  private static void check(JsonNode object, FieldPath path, List<FieldError> errors) {
    JsonNode annotations = Trees.at(object, "metadata", "annotations");
    var text = Trees.textIfPresent(annotations, JobSetKeys.RESTART_GRACE);
    if (text.isPresent() && RestartGrace.seconds(text.get()).isEmpty()) {
      errors.add(
          invalid(
              path.field("metadata", "annotations").key(JobSetKeys.RESTART_GRACE),
              text.get(),
              PROBLEM));
    }
    var pattern = Trees.textIfPresent(annotations, JobSetKeys.PROGRESS_PATTERN);
    pattern
        .flatMap(ProgressPattern::problem)
        .ifPresent(problem ->
            errors.add(
                invalid(
                    path.field("metadata", "annotations").key(JobSetKeys.PROGRESS_PATTERN),
                    pattern.get(),
                    problem)));
  }
}
