package dev.regroup.api.admission.jobset;

import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.plain;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.re2j.PatternSyntaxException;
import dev.regroup.api.Gate;
import dev.regroup.api.Gates;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Checks of {@code failurePolicy.rules} (JS-59 to JS-61). */
final class FailureRules {

  private static final int MAX_NAME = 128;
  private static final int MAX_REPLICAS = 1024;
  private static final Pattern NAME = Pattern.compile("[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?");
  private static final Set<String> PER_JOB = Set.of("RestartJob", "RestartJobAndIgnoreMaxRestarts");
  private static final Set<String> REASONS =
      Set.of(
          "BackoffLimitExceeded",
          "DeadlineExceeded",
          "FailedIndexes",
          "MaxFailedIndexesExceeded",
          "PodFailurePolicy");

  private FailureRules() {}

  static List<FieldError> check(Gates gates, JsonNode spec, List<ObjectNode> jobs) {
    var errors = new ArrayList<FieldError>();
    var rules = Trees.objects(spec, "failurePolicy", "rules");
    boolean perJob = rules.stream().anyMatch(r -> PER_JOB.contains(Trees.text(r, "action")));
    if (perJob && !gates.on(Gate.RESTART_JOB)) {
      errors.add(
          plain(
              "RestartJob and RestartJobAndIgnoreMaxRestarts failure policy actions are not allowed"
                  + " when RestartJob feature gate is disabled"));
      return errors;
    }
    boolean many =
        jobs.stream().anyMatch(j -> Trees.number(j, "replicas").orElse(1) > MAX_REPLICAS);
    if (perJob && many) {
      errors.add(
          plain(
              "JobSet cannot have a failure policy rule with RestartJob or"
                  + " RestartJobAndIgnoreMaxRestarts action and a replicated job with replicas >"
                  + " 1024"));
    }
    var names = jobs.stream().map(job -> Trees.text(job, "name")).toList();
    var places = new LinkedHashMap<String, List<Integer>>();
    for (int i = 0; i < rules.size(); i++) {
      ObjectNode rule = rules.get(i);
      name(Trees.text(rule, "name"), errors);
      places.computeIfAbsent(Trees.text(rule, "name"), _ -> new ArrayList<>()).add(i);
      for (String target : Trees.texts(rule, "targetReplicatedJobs")) {
        if (!names.contains(target)) {
          errors.add(
              plain(
                  ("invalid replicatedJob name '%s' in failure policy does not appear in"
                          + " .spec.ReplicatedJobs")
                      .formatted(target)));
        }
      }
      for (String reason : Trees.texts(rule, "onJobFailureReasons")) {
        if (!REASONS.contains(reason)) {
          errors.add(
              plain(
                  ("invalid job failure reason '%s' in failure policy is not a recognized job"
                          + " failure reason")
                      .formatted(reason)));
        }
      }
      patterns(rule, i, errors);
    }
    places.forEach((name, indexes) -> {
      if (indexes.size() > 1) {
        String list = String.join(" ", indexes.stream().map(String::valueOf).toList());
        errors.add(
            plain(
                "rule names are not unique, rules with indices [%s] all have the same name '%s'"
                    .formatted(list, name)));
      }
    });
    return errors;
  }

  private static void name(String name, List<FieldError> errors) {
    if (name.isEmpty() || name.length() > MAX_NAME) {
      errors.add(
          plain(
              ("invalid failure policy rule name of length %d, the rule name must be at least 1"
                      + " characters long and at most %d characters long")
                  .formatted(name.length(), MAX_NAME)));
    } else if (!NAME.matcher(name).matches()) {
      errors.add(
          plain(
              ("invalid failure policy rule name '%s', a failure policy rule name must start with"
                      + " an alphabetic character, optionally followed by a string of alphanumeric"
                      + " characters or '_,:', and must end with an alphanumeric character or '_'")
                  .formatted(name)));
    }
  }

  /**
   * A pattern that does not compile would never match and nobody would know. The language is the
   * controller's (RE2), which has no look-around and no back-references.
   */
  private static void patterns(ObjectNode rule, int index, List<FieldError> errors) {
    var patterns = Trees.texts(rule, "onJobFailureMessagePatterns");
    for (int j = 0; j < patterns.size(); j++) {
      try {
        var _ = com.google.re2j.Pattern.compile(patterns.get(j));
      } catch (PatternSyntaxException e) {
        errors.add(
            invalid(
                FieldPath.of("spec", "failurePolicy", "rules")
                    .index(index)
                    .field("onJobFailureMessagePatterns")
                    .index(j),
                patterns.get(j),
                "must be a regular expression (RE2): " + e.getDescription()));
      }
    }
  }
}
