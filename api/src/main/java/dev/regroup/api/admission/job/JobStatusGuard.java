package dev.regroup.api.admission.job;

import static dev.regroup.api.admission.field.FieldError.OMITTED;
import static dev.regroup.api.admission.field.FieldError.duplicate;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;

/**
 * What a Job's status may say (JB-25). A part is judged only when it changed: a status written by
 * an older server must stay writable.
 */
final class JobStatusGuard {

  private static final FieldPath STATUS = FieldPath.of("status");
  private static final List<String> END_CONDITIONS = List.of("Failed", "Complete", "FailureTarget");

  private final JsonNode job;
  private final JsonNode status;
  private final JsonNode spec;
  private final JsonNode old;
  private final JsonNode oldStatus;
  private final List<FieldError> errors = new ArrayList<>();

  private JobStatusGuard(JsonNode job, JsonNode old) {
    this.job = job;
    this.status = job.path("status");
    this.spec = job.path("spec");
    this.old = old;
    this.oldStatus = old.path("status");
  }

  static List<FieldError> check(JsonNode job, JsonNode old) {
    var guard = new JobStatusGuard(job, old);
    guard.counters();
    guard.uncounted();
    guard.ends();
    guard.finished();
    guard.indexes();
    guard.pods();
    guard.criteria();
    guard.history();
    return guard.errors;
  }

  private boolean is(String type) {
    return has(job, type, "True");
  }

  private static boolean has(JsonNode job, String type, String status) {
    return Trees.objects(job, "status", "conditions").stream()
        .anyMatch(
            c -> Trees.text(c, "type").equals(type) && Trees.text(c, "status").equals(status));
  }

  /** Whether the condition became true, or ceased to be. */
  private boolean turned(String type) {
    return is(type) != has(old, type, "True");
  }

  private boolean changed(String field) {
    return !Trees.same(status.path(field), oldStatus.path(field));
  }

  private void counters() {
    for (String field : List.of("active", "succeeded", "failed", "ready", "terminating")) {
      long count = Trees.number(status, field).orElse(0);
      if (count < 0) {
        errors.add(invalid(STATUS.field(field), count, "must be greater than or equal to 0"));
      }
    }
  }

  /** Each pod once, in whichever list. */
  private void uncounted() {
    var seen = new HashSet<String>();
    for (String list : List.of("succeeded", "failed")) {
      var uids = status.path("uncountedTerminatedPods").path(list);
      for (int i = 0; i < uids.size(); i++) {
        FieldPath path = STATUS.field("uncountedTerminatedPods", list).index(i);
        String uid = uids.path(i).asText();
        if (uid.isEmpty()) {
          errors.add(invalid(path, uid, "must not be empty"));
        } else if (!seen.add(uid)) {
          errors.add(duplicate(path, uid));
        }
      }
    }
  }

  private void conditions(String why) {
    errors.add(invalid(STATUS.field("conditions"), OMITTED, why));
  }

  private void ends() {
    exclude("Complete", "Failed", turned("Complete") || turned("Failed"));
    exclude("Complete", "FailureTarget", turned("Complete") || turned("FailureTarget"));
    FieldPath path = STATUS.field("completionTime");
    boolean complete = is("Complete");
    boolean hasTime = Trees.has(status, "completionTime");
    if (turned("Complete") || changed("completionTime")) {
      if (hasTime && !complete) {
        errors.add(
            invalid(
                path,
                status.path("completionTime"),
                "cannot set completionTime when there is no Complete=True condition"));
      }
      if (complete && !hasTime) {
        errors.add(required(path, "completionTime is required for Complete jobs"));
      }
    }
    String start = Trees.text(status, "startTime");
    String end = Trees.text(status, "completionTime");
    boolean times = changed("startTime") || changed("completionTime");
    if (times && !start.isEmpty() && !end.isEmpty() && end.compareTo(start) < 0) {
      errors.add(invalid(path, end, "must be equal to or after `startTime`"));
    }
    needs("Failed", "FailureTarget", turned("Failed") || changed("failedIndexes"));
    needs("Complete", "SuccessCriteriaMet", turned("Complete") || turned("SuccessCriteriaMet"));
  }

  private void exclude(String first, String second, boolean asked) {
    if (asked && is(first) && is(second)) {
      conditions("cannot set %s=True and %s=true conditions".formatted(first, second));
    }
  }

  private void needs(String end, String target, boolean asked) {
    if (asked && is(end) && !is(target)) {
      conditions(
          "cannot set %s=True condition without the %s=true condition".formatted(end, target));
    }
  }

  private boolean isFinished() {
    return is("Complete") || is("Failed");
  }

  private boolean turnedFinished() {
    return isFinished() != (has(old, "Complete", "True") || has(old, "Failed", "True"));
  }

  private void finished() {
    if (!isFinished()) {
      return;
    }
    boolean now = turnedFinished();
    long active = Trees.number(status, "active").orElse(0);
    if (active > 0 && (now || changed("active"))) {
      errors.add(invalid(STATUS.field("active"), active, "active>0 is invalid for finished job"));
    }
    boolean startedNever =
        Trees.isTrue(spec, "suspend") && Trees.number(spec, "completions").orElse(1) == 0;
    if (!Trees.has(status, "startTime") && !startedNever && (now || changed("startTime"))) {
      errors.add(required(STATUS.field("startTime"), "startTime is required for finished job"));
    }
    JsonNode uncounted = status.path("uncountedTerminatedPods");
    boolean open = !uncounted.path("succeeded").isEmpty() || !uncounted.path("failed").isEmpty();
    if (open && (now || changed("uncountedTerminatedPods"))) {
      errors.add(
          invalid(
              STATUS.field("uncountedTerminatedPods"),
              FieldError.internal(uncounted),
              "must be empty for finished job"));
    }
  }

  private void indexes() {
    String completed = Trees.text(status, "completedIndexes");
    var failed = Trees.textIfPresent(status, "failedIndexes");
    boolean limited = Trees.has(spec, "backoffLimitPerIndex");
    if (changed("completedIndexes")) {
      format("completedIndexes", completed);
    }
    if (changed("failedIndexes") && limited && failed.isPresent()) {
      format("failedIndexes", failed.get());
    }
    if (changed("completedIndexes") && !completed.isEmpty() && !JobValidation.isIndexed(spec)) {
      errors.add(
          invalid(
              STATUS.field("completedIndexes"),
              completed,
              "cannot set non-empty completedIndexes when non-indexed completion mode"));
    }
    if (changed("failedIndexes") && !limited && failed.isPresent()) {
      errors.add(
          invalid(
              STATUS.field("failedIndexes"),
              failed.get(),
              "cannot set non-null failedIndexes when backoffLimitPerIndex is null"));
    }
    if (failed.isPresent() && (changed("failedIndexes") || changed("completedIndexes"))) {
      IndexText.overlap(completed, failed.get(), completions())
          .ifPresent(index ->
              errors.add(
                  invalid(
                      STATUS.field("failedIndexes"),
                      failed.get(),
                      "failedIndexes and completedIndexes overlap at index: " + index)));
    }
  }

  private long completions() {
    return Trees.number(spec, "completions").orElse(0);
  }

  private void format(String field, String text) {
    if (Trees.has(spec, "completions")
        && IndexText.parse(text, completions()) instanceof IndexText.Parsed.Bad(String problem)) {
      errors.add(
          invalid(STATUS.field(field), text, "error parsing %s: %s".formatted(field, problem)));
    }
  }

  private void pods() {
    long terminating = Trees.number(status, "terminating").orElse(0);
    if (terminating > 0 && isFinished() && (turnedFinished() || changed("terminating"))) {
      errors.add(
          invalid(
              STATUS.field("terminating"),
              terminating,
              "terminating>0 is invalid for finished job"));
    }
    var ready = Trees.number(status, "ready");
    boolean more =
        ready.isPresent() && ready.getAsLong() > Trees.number(status, "active").orElse(0);
    if (more && (changed("ready") || changed("active"))) {
      errors.add(
          invalid(
              STATUS.field("ready"), ready.getAsLong(), "cannot set more ready pods than active"));
    }
  }

  private void criteria() {
    exclude("SuccessCriteriaMet", "Failed", true);
    exclude("SuccessCriteriaMet", "FailureTarget", true);
    if (Trees.has(spec, "successPolicy") && is("Complete") && !is("SuccessCriteriaMet")) {
      conditions(
          "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True");
    }
  }

  /** What was said once and cannot be taken back. */
  private void history() {
    for (String type : END_CONDITIONS) {
      if (has(old, type, "True") && !is(type)) {
        conditions("cannot disable the terminal %s=True condition".formatted(type));
      }
    }
    decreasing("failed");
    boolean elastic =
        JobValidation.isIndexed(spec)
            && Trees.same(spec.path("completions"), spec.path("parallelism"));
    if (!elastic) {
      decreasing("succeeded");
    }
    boolean moved =
        Trees.has(status, "completionTime")
            && Trees.has(oldStatus, "completionTime")
            && changed("completionTime");
    if (moved) {
      errors.add(
          invalid(
              STATUS.field("completionTime"), status.path("completionTime"), "field is immutable"));
    }
    startTime();
    boolean met = has(old, "SuccessCriteriaMet", "True");
    if (met && !is("SuccessCriteriaMet")) {
      conditions("cannot disable the SuccessCriteriaMet=True condition");
    }
    if (!met && is("SuccessCriteriaMet") && has(old, "Complete", "True")) {
      conditions("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
    }
  }

  private void decreasing(String field) {
    long now = Trees.number(status, field).orElse(0);
    if (now < Trees.number(oldStatus, field).orElse(0)) {
      errors.add(invalid(STATUS.field(field), now, "cannot decrease the " + field + " counter"));
    }
  }

  private void startTime() {
    boolean resumes = has(old, "Suspended", "True") && has(job, "Suspended", "False");
    boolean moved = Trees.has(oldStatus, "startTime") && changed("startTime");
    if (!moved || resumes || Trees.isTrue(spec, "suspend")) {
      return;
    }
    errors.add(
        invalid(
            STATUS.field("startTime"),
            Trees.has(status, "startTime") ? status.path("startTime") : null,
            "field is immutable for unsuspended job once set"));
  }
}
