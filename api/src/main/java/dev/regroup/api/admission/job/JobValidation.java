package dev.regroup.api.admission.job;

import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;
import static dev.regroup.api.admission.field.FieldError.tooLong;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.container.PodOptions;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.admission.field.Selectors;
import dev.regroup.api.admission.pod.PodValidation;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/** Checks of a Job after defaults (JB-20 to JB-22), in Kubernetes' order. */
final class JobValidation {

  private static final FieldPath SPEC = FieldPath.of("spec");
  private static final int MAX_PARALLELISM = 100_000;
  private static final int MANY_COMPLETIONS = 100_000;
  private static final int MAX_WITH_MANY = 10_000;
  private static final String NOT_NEGATIVE = "must be greater than or equal to 0";
  private static final String NEEDS_INDEXES = "requires indexed completion mode";

  private final PodOptions options;

  JobValidation(PodOptions options) {
    this.options = options;
  }

  /** The whole Job but its metadata. */
  List<FieldError> job(ObjectNode job) {
    var errors = new ArrayList<FieldError>();
    generatedSelector(job, errors);
    errors.addAll(spec(job.path("spec")));
    JsonNode spec = job.path("spec");
    long completions = Trees.number(spec, "completions").orElse(0);
    if (isIndexed(spec) && completions > 0) {
      String name = Trees.text(job, "metadata", "name");
      String hostname = name + "-" + (completions - 1);
      if (!NameRules.label(hostname).isEmpty()) {
        errors.add(
            invalid(
                FieldPath.of("metadata", "name"),
                name,
                "will not able to create pod with invalid DNS label: " + hostname));
      }
    }
    return errors;
  }

  static boolean isIndexed(JsonNode spec) {
    return Trees.text(spec, "completionMode").equals("Indexed");
  }

  private static void generatedSelector(ObjectNode job, List<FieldError> errors) {
    JsonNode spec = job.path("spec");
    if (Trees.isTrue(spec, "manualSelector") || !Trees.has(spec, "selector")) {
      return;
    }
    String uid = Trees.text(job, "metadata", "uid");
    String name = Trees.text(job, "metadata", "name");
    var expected = new LinkedHashMap<String, String>();
    expected.put(JobDefaults.OLD_CONTROLLER_UID, uid);
    expected.put(JobDefaults.OLD_JOB_NAME, name);
    expected.put(JobDefaults.CONTROLLER_UID, uid);
    expected.put(JobDefaults.JOB_NAME, name);
    JsonNode labels = Trees.at(spec, "template", "metadata", "labels");
    FieldPath path = SPEC.field("template", "metadata", "labels");
    expected.forEach((key, value) -> {
      String must = "must be '" + value + "'";
      if (!labels.has(key)) {
        errors.add(required(path.key(key), must));
      } else if (!Trees.text(labels, key).equals(value)) {
        errors.add(invalid(path.key(key), FieldError.sorted(labels), must));
      }
    });
    if (readable(spec.path("selector")) && !Selectors.matches(spec.path("selector"), expected)) {
      errors.add(
          invalid(
              SPEC.field("selector"),
              FieldError.sorted(spec.path("selector")),
              "`selector` not auto-generated"));
    }
  }

  List<FieldError> spec(JsonNode spec) {
    var errors = new ArrayList<FieldError>();
    numbers(spec, errors);
    managedBy(spec, errors);
    mode(spec, errors);
    var policies = new JobPolicies(errors);
    if (Trees.has(spec, "podFailurePolicy")) {
      policies.failurePolicy(spec, SPEC);
    }
    if (Trees.has(spec, "successPolicy")) {
      if (isIndexed(spec)) {
        policies.successPolicy(spec, SPEC);
      } else {
        errors.add(
            invalid(
                SPEC.field("successPolicy"),
                FieldError.internal(spec.path("successPolicy")),
                NEEDS_INDEXES));
      }
    }
    replacement(spec, errors);
    errors.addAll(PodValidation.template(options, spec.path("template"), SPEC.field("template")));
    restartPolicy(spec, errors);
    selector(spec, errors);
    return errors;
  }

  private static void numbers(JsonNode spec, List<FieldError> errors) {
    for (String field :
        List.of(
            "parallelism",
            "completions",
            "activeDeadlineSeconds",
            "backoffLimit",
            "ttlSecondsAfterFinished",
            "backoffLimitPerIndex",
            "maxFailedIndexes")) {
      var value = Trees.number(spec, field);
      if (value.isPresent() && value.getAsLong() < 0) {
        errors.add(invalid(SPEC.field(field), value.getAsLong(), NOT_NEGATIVE));
      }
    }
    if (Trees.has(spec, "maxFailedIndexes") && !Trees.has(spec, "backoffLimitPerIndex")) {
      errors.add(
          required(SPEC.field("backoffLimitPerIndex"), "when maxFailedIndexes is specified"));
    }
  }

  private static void managedBy(JsonNode spec, List<FieldError> errors) {
    var manager = Trees.textIfPresent(spec, "managedBy");
    if (manager.isEmpty()) {
      return;
    }
    FieldPath path = SPEC.field("managedBy");
    errors.addAll(NameRules.domainPrefixedPath(path, manager.get()));
    if (manager.get().length() > 63) {
      errors.add(tooLong(path, 63));
    }
  }

  private static void mode(JsonNode spec, List<FieldError> errors) {
    String mode = Trees.text(spec, "completionMode");
    var known = List.of("NonIndexed", "Indexed");
    if (!known.contains(mode)) {
      errors.add(notSupported(SPEC.field("completionMode"), mode, known));
      return;
    }
    if (mode.equals("Indexed")) {
      indexed(spec, errors);
      return;
    }
    for (String field : List.of("backoffLimitPerIndex", "maxFailedIndexes")) {
      if (Trees.has(spec, field)) {
        errors.add(invalid(SPEC.field(field), spec.path(field), NEEDS_INDEXES));
      }
    }
  }

  private static void indexed(JsonNode spec, List<FieldError> errors) {
    var completions = Trees.number(spec, "completions");
    long parallelism = Trees.number(spec, "parallelism").orElse(0);
    var failures = Trees.number(spec, "maxFailedIndexes");
    if (completions.isEmpty()) {
      errors.add(required(SPEC.field("completions"), "when completion mode is Indexed"));
    }
    if (parallelism > MAX_PARALLELISM) {
      errors.add(
          invalid(
              SPEC.field("parallelism"),
              parallelism,
              "must be less than or equal to %d when completion mode is Indexed"
                  .formatted(MAX_PARALLELISM)));
    }
    FieldPath failuresPath = SPEC.field("maxFailedIndexes");
    if (failures.isPresent()) {
      if (completions.isPresent() && failures.getAsLong() > completions.getAsLong()) {
        errors.add(
            invalid(
                failuresPath, failures.getAsLong(), "must be less than or equal to completions"));
      }
      if (failures.getAsLong() > MAX_PARALLELISM) {
        errors.add(
            invalid(
                failuresPath,
                failures.getAsLong(),
                "must be less than or equal to " + MAX_PARALLELISM));
      }
    }
    boolean many =
        completions.orElse(0) > MANY_COMPLETIONS && Trees.has(spec, "backoffLimitPerIndex");
    if (!many) {
      return;
    }
    String limit =
        "must be less than or equal to %d when completions are above %d and used with backoff limit"
                .formatted(MAX_WITH_MANY, MANY_COMPLETIONS)
            + " per index";
    if (failures.isEmpty()) {
      errors.add(
          required(
              failuresPath, "must be specified when completions is above " + MANY_COMPLETIONS));
    }
    if (parallelism > MAX_WITH_MANY) {
      errors.add(invalid(SPEC.field("parallelism"), parallelism, limit));
    }
    if (failures.orElse(0) > MAX_WITH_MANY) {
      errors.add(invalid(failuresPath, failures.orElse(0), limit));
    }
  }

  private static void replacement(JsonNode spec, List<FieldError> errors) {
    String policy = Trees.text(spec, "podReplacementPolicy");
    var known =
        Trees.has(spec, "podFailurePolicy")
            ? List.of("Failed")
            : List.of("Failed", "TerminatingOrFailed");
    if (!known.contains(policy)) {
      errors.add(notSupported(SPEC.field("podReplacementPolicy"), policy, known));
    }
  }

  private static void restartPolicy(JsonNode spec, List<FieldError> errors) {
    FieldPath path = SPEC.field("template", "spec", "restartPolicy");
    String policy = Trees.text(spec, "template", "spec", "restartPolicy");
    if (policy.isEmpty() || policy.equals("Always")) {
      errors.add(required(path, "valid values: \"OnFailure\", \"Never\""));
    } else if (!policy.equals("OnFailure") && !policy.equals("Never")) {
      errors.add(notSupported(path, policy, List.of("OnFailure", "Never")));
    } else if (Trees.has(spec, "podFailurePolicy") && !policy.equals("Never")) {
      errors.add(
          invalid(path, policy, "only \"Never\" is supported when podFailurePolicy is specified"));
    }
  }

  /** What cannot be read as a selector is an error of its own and matches neither way. */
  private static boolean readable(JsonNode selector) {
    var errors = new ArrayList<FieldError>();
    Selectors.check(selector, SPEC, errors);
    return errors.isEmpty();
  }

  private static void selector(JsonNode spec, List<FieldError> errors) {
    FieldPath path = SPEC.field("selector");
    JsonNode labels = Trees.at(spec, "template", "metadata", "labels");
    if (!Trees.has(spec, "selector")) {
      errors.add(required(path, ""));
    } else {
      Selectors.check(spec.path("selector"), path, errors);
    }
    if (readable(spec.path("selector"))
        && !Selectors.matches(spec.path("selector"), Selectors.map(labels))) {
      errors.add(
          invalid(
              SPEC.field("template", "metadata", "labels"),
              labels.isMissingNode() ? null : FieldError.sorted(labels),
              "`selector` does not match template `labels`"));
    }
  }
}
