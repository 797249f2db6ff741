package dev.regroup.api.admission.jobset;

import static dev.regroup.api.admission.field.FieldError.OMITTED;
import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.invalid;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gate;
import dev.regroup.api.Gates;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;

/** Checks of the validating webhook for a change (JS-64 to JS-66). */
final class JobSetUpdates {

  private static final FieldPath SPEC = FieldPath.of("spec");
  private static final String IMMUTABLE = "field is immutable";

  private final Gates gates;
  private final Lookup lookup;
  private final ObjectNode jobSet;
  private final ObjectNode old;
  private final JsonNode spec;
  private final JsonNode oldSpec;
  private final List<FieldError> errors = new ArrayList<>();

  JobSetUpdates(Gates gates, Lookup lookup, ObjectNode jobSet, ObjectNode old) {
    this.gates = gates;
    this.lookup = lookup;
    this.jobSet = jobSet;
    this.old = old;
    this.spec = jobSet.path("spec");
    this.oldSpec = old.path("spec");
  }

  List<FieldError> check() {
    var before = Trees.objects(oldSpec, "replicatedJobs");
    var now = Trees.objects(spec, "replicatedJobs");
    if (now.size() == before.size()) {
      for (int i = 0; i < now.size(); i++) {
        elastic(now.get(i), before.get(i), SPEC.field("replicatedJobs").index(i));
      }
    }
    if (!now.equals(before) && !fixed(now, before).equals(before)) {
      errors.add(invalid(SPEC.field("replicatedJobs"), spec.path("replicatedJobs"), IMMUTABLE));
    }
    if (!Trees.same(spec.path("managedBy"), oldSpec.path("managedBy"))) {
      JsonNode manager = spec.path("managedBy");
      errors.add(
          invalid(SPEC.field("managedBy"), manager.isMissingNode() ? null : manager, IMMUTABLE));
    }
    if (Trees.has(spec, "failurePolicy") != Trees.has(oldSpec, "failurePolicy")) {
      errors.add(invalid(SPEC.field("failurePolicy"), OMITTED, IMMUTABLE)); // JS-66
    }
    if (differ(jobSet, old, JobSetKeys.RESTART_GRACE)
        || differ(jobSet, old, JobSetKeys.PROGRESS_PATTERN)) {
      AnnotationChecks.own(jobSet, errors);
    }
    // What a change touches is judged as if it were new (JS-66).
    boolean resized = !now.equals(before);
    if (resized || !Trees.same(spec.path("coordinator"), oldSpec.path("coordinator"))) {
      errors.addAll(new JobSetValidation(gates, lookup, jobSet).coordinatorOnly());
    }
    return errors;
  }

  private static boolean differ(ObjectNode jobSet, ObjectNode old, String annotation) {
    return !Trees.at(jobSet, "metadata", "annotations", annotation)
        .equals(Trees.at(old, "metadata", "annotations", annotation));
  }

  private boolean isElastic(ObjectNode job) {
    return gates.on(Gate.ELASTIC_JOB_SET)
        && Trees.text(job, "template", "spec", "completionMode").equals("Indexed");
  }

  private void elastic(ObjectNode job, ObjectNode before, FieldPath jobPath) {
    JsonNode now = Trees.at(job, "template", "spec");
    JsonNode then = Trees.at(before, "template", "spec");
    boolean changed =
        !Trees.same(now.path("parallelism"), then.path("parallelism"))
            || !Trees.same(now.path("completions"), then.path("completions"));
    if (!changed || !isElastic(job)) {
      return;
    }
    FieldPath path = jobPath.field("template", "spec");
    if (isFinished()) {
      errors.add(
          forbidden(
              path,
              "Cannot mutate parallelism or completions when JobSet is in a terminal state"
                  + " (Completed or Failed)"));
      return;
    }
    boolean good = true;
    for (String field : List.of("parallelism", "completions")) {
      var value = Trees.number(now, field);
      if (value.isPresent() && value.getAsLong() < 1) {
        errors.add(invalid(path.field(field), value.getAsLong(), field + " must be >= 1"));
        good = false;
      }
    }
    boolean both = Trees.has(now, "parallelism") && Trees.has(now, "completions");
    if (good && both && !now.path("parallelism").equals(now.path("completions"))) {
      errors.add(
          invalid(
              path.field("completions"),
              now.path("completions"),
              "completions must be equal to parallelism for Elastic Indexed Jobs"));
      return;
    }
    if (good && gates.on(Gate.IN_PLACE_RESTART) && JobSetValidation.isInPlace(spec)) {
      InPlaceChecks.check(jobSet, job, jobPath, errors);
    }
  }

  private boolean isFinished() {
    return Trees.objects(old, "status", "conditions").stream()
        .anyMatch(c ->
            List.of("Completed", "Failed").contains(Trees.text(c, "type"))
                && Trees.text(c, "status").equals("True"));
  }

  /** The new list with everything set back that may change: what differs now may not differ. */
  private List<ObjectNode> fixed(List<ObjectNode> now, List<ObjectNode> before) {
    boolean suspended = Trees.isTrue(spec, "suspend") || Trees.isTrue(oldSpec, "suspend");
    var fixed = new ArrayList<ObjectNode>();
    for (ObjectNode entry : now) {
      ObjectNode job = entry.deepCopy();
      fixed.add(job);
      var same =
          before.stream()
              .filter(b -> Trees.text(b, "name").equals(Trees.text(job, "name")))
              .findFirst();
      if (same.isEmpty()) {
        continue;
      }
      ObjectNode then = same.get().deepCopy();
      if (isElastic(job)) {
        for (String field : List.of("parallelism", "completions")) {
          Trees.carry(path(then), path(job), field);
        }
      }
      if (suspended) {
        scheduling(job, then);
      }
      prune(job, same.get());
    }
    return fixed;
  }

  private static ObjectNode path(ObjectNode job) {
    return Trees.child(Trees.child(job, "template"), "spec");
  }

  /** What may change while suspended (JS-64). */
  private static void scheduling(ObjectNode job, ObjectNode then) {
    ObjectNode template = Trees.child(path(job), "template");
    ObjectNode oldTemplate = Trees.child(path(then), "template");
    ObjectNode metadata = Trees.child(template, "metadata");
    ObjectNode oldMetadata = Trees.child(oldTemplate, "metadata");
    for (String field : List.of("labels", "annotations")) {
      Trees.carry(oldMetadata, metadata, field);
    }
    ObjectNode podSpec = Trees.child(template, "spec");
    ObjectNode oldPodSpec = Trees.child(oldTemplate, "spec");
    for (String field : List.of("nodeSelector", "tolerations", "schedulingGates")) {
      Trees.carry(oldPodSpec, podSpec, field);
    }
  }

  /** Setting back may have left an empty metadata that the stored object does not have. */
  private static void prune(ObjectNode job, ObjectNode stored) {
    ObjectNode template = Trees.child(path(job), "template");
    boolean had = Trees.has(stored, "template", "spec", "template", "metadata");
    if (!had && template.path("metadata").isEmpty()) {
      template.remove("metadata");
    }
  }
}
