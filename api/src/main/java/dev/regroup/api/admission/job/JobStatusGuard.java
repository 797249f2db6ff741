package dev.regroup.api.admission.job;

import static dev.regroup.api.admission.field.FieldError.OMITTED;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a Job's status may say (JB-25). A part is judged only when it changed: a status written by
 * an older server must stay writable.
 */
final class JobStatusGuard {

  private static final FieldPath STATUS = FieldPath.of("status");
  private static final List<String> END_CONDITIONS =
      List.of("Failed", "Complete", "FailureTarget", "SuccessCriteriaMet");

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
    guard.ends();
    guard.finished();
    guard.indexes();
    guard.history();
    return guard.errors;
  }

  private boolean is(String type) {
    return is(job, type);
  }

  private static boolean is(JsonNode job, String type) {
    return Trees.objects(job, "status", "conditions").stream()
        .anyMatch(
            c -> Trees.text(c, "type").equals(type) && Trees.text(c, "status").equals("True"));
  }

  private boolean turned(String type) {
    return is(type) && !is(old, type);
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

  private void both(String first, String second) {
    if (is(first) && is(second) && (turned(first) || turned(second))) {
      conditions("cannot set %s=True and %s=true conditions".formatted(first, second));
    }
  }

  private void conditions(String why) {
    errors.add(invalid(STATUS.field("conditions"), OMITTED, why));
  }

  private void ends() {
    both("Complete", "Failed");
    both("Complete", "FailureTarget");
    FieldPath path = STATUS.field("completionTime");
    boolean complete = is("Complete");
    boolean hasTime = Trees.has(status, "completionTime");
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
    String start = Trees.text(status, "startTime");
    String end = Trees.text(status, "completionTime");
    if (!start.isEmpty() && !end.isEmpty() && end.compareTo(start) < 0) {
      errors.add(invalid(path, end, "must be equal to or after `startTime`"));
    }
    needs("Failed", "FailureTarget");
    needs("Complete", "SuccessCriteriaMet");
    both("SuccessCriteriaMet", "Failed");
    both("SuccessCriteriaMet", "FailureTarget");
  }

  private void needs(String end, String target) {
    if (turned(end) && !is(target)) {
      conditions(
          "cannot set %s=True condition without the %s=true condition".formatted(end, target));
    }
  }

  private void finished() {
    if (is("Complete") || is("Failed")) {
      long active = Trees.number(status, "active").orElse(0);
      if (active > 0) {
        errors.add(invalid(STATUS.field("active"), active, "active>0 is invalid for finished job"));
      }
      boolean startedNever =
          Trees.isTrue(spec, "suspend") && Trees.number(spec, "completions").orElse(1) == 0;
      if (!Trees.has(status, "startTime") && !startedNever) {
        errors.add(required(STATUS.field("startTime"), "startTime is required for finished job"));
      }
      long terminating = Trees.number(status, "terminating").orElse(0);
      if (terminating > 0) {
        errors.add(
            invalid(
                STATUS.field("terminating"),
                terminating,
                "terminating>0 is invalid for finished job"));
      }
      JsonNode uncounted = status.path("uncountedTerminatedPods");
      if (!uncounted.path("succeeded").isEmpty() || !uncounted.path("failed").isEmpty()) {
        errors.add(
            invalid(
                STATUS.field("uncountedTerminatedPods"),
                OMITTED,
                "uncountedTerminatedPods needs to be empty for finished job"));
      }
    }
    var ready = Trees.number(status, "ready");
    if (ready.isPresent() && ready.getAsLong() > Trees.number(status, "active").orElse(0)) {
      if (changed("ready") || changed("active")) {
        errors.add(
            invalid(
                STATUS.field("ready"),
                ready.getAsLong(),
                "cannot set more ready pods than active"));
      }
    }
  }

  private void indexes() {
    long completions = Trees.number(spec, "completions").orElse(0);
    boolean indexed = JobValidation.isIndexed(spec);
    var completed = new TreeSet<Integer>();
    var failed = new TreeSet<Integer>();
    String completedText = Trees.text(status, "completedIndexes");
    if (!completedText.isEmpty() && changed("completedIndexes")) {
      if (!indexed) {
        errors.add(
            invalid(
                STATUS.field("completedIndexes"),
                completedText,
                "cannot set non-empty completedIndexes when non-indexed completion mode"));
      } else {
        parse("completedIndexes", completedText, completions, completed);
      }
    }
    var failedText = Trees.textIfPresent(status, "failedIndexes");
    if (failedText.isPresent() && changed("failedIndexes")) {
      if (!Trees.has(spec, "backoffLimitPerIndex")) {
        errors.add(
            invalid(
                STATUS.field("failedIndexes"),
                failedText.get(),
                "cannot set non-null failedIndexes when backoffLimitPerIndex is null"));
      } else {
        parse("failedIndexes", failedText.get(), completions, failed);
      }
    }
    failed.retainAll(completed);
    if (!failed.isEmpty()) {
      errors.add(
          invalid(
              STATUS.field("failedIndexes"),
              failedText.orElse(""),
              "failedIndexes and completedIndexes overlap on index: " + failed.first()));
    }
  }

  private void parse(String field, String text, long completions, Set<Integer> into) {
    switch (IndexText.parse(text, completions)) {
      case IndexText.Parsed.Good(var found) -> into.addAll(found);
      case IndexText.Parsed.Bad(String problem) ->
          errors.add(
              invalid(STATUS.field(field), text, "error parsing %s: %s".formatted(field, problem)));
    }
  }

  /** What was said once and cannot be taken back. */
  private void history() {
    for (String type : END_CONDITIONS) {
      if (is(old, type) && !is(type)) {
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
  }

  private void decreasing(String field) {
    long now = Trees.number(status, field).orElse(0);
    if (now < Trees.number(oldStatus, field).orElse(0)) {
      errors.add(invalid(STATUS.field(field), now, "cannot decrease the " + field + " counter"));
    }
  }

  private void startTime() {
    boolean resumes = is(old, "Suspended") && !is("Suspended");
    boolean moved = Trees.has(oldStatus, "startTime") && changed("startTime");
    if (!moved || resumes || Trees.isTrue(spec, "suspend")) {
      return;
    }
    FieldPath path = STATUS.field("startTime");
    errors.add(
        Trees.has(status, "startTime")
            ? invalid(
                path, status.path("startTime"), "field is immutable for unsuspended job once set")
            : required(path, "startTime cannot be removed for unsuspended job"));
  }
}
