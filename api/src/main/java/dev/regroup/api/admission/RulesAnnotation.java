package dev.regroup.api.admission;

import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.invalid;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.review.AdmissionSettings;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Operation;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.schema.GroupVersionKind;
import dev.regroup.api.tree.Trees;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Checks the annotation {@link JobSetKeys#RULES} of a pod template, which carries to a cluster what
 * its API server does not know: by container name {@code restartPolicyRules} and {@code
 * onCompletion}, as they stand in a container on Regroup's own nodes. They are put back where they
 * came from and judged by the admission of pods, so both ways allow the same. What the agent that
 * runs the worker cannot do exactly as a node would is refused with the reason.
 */
public final class RulesAnnotation {

  private static final Set<String> FIELDS = Set.of("restartPolicyRules", "onCompletion");
  private static final GroupVersionKind POD = new GroupVersionKind("", "v1", "Pod");

  private final Admission admission =
      new Admission(AdmissionSettings.of(Gates.product()), new Random(0)); // names no pod

  /**
   * What is wrong with it.
   *
   * @param template of pods, with metadata and spec
   * @param path of the template
   * @param worker the container that an agent runs and whose rules it can heed; empty for none
   */
  public List<FieldError> check(ObjectNode template, FieldPath path, Optional<String> worker) {
    var text = Trees.textIfPresent(template, "metadata", "annotations", JobSetKeys.RULES);
    if (text.isEmpty()) {
      return List.of();
    }
    var at = path.field("metadata", "annotations").key(JobSetKeys.RULES);
    var rules = read(text.get());
    if (rules.isEmpty()) {
      return List.of(invalid(at, text.get(), "must be a JSON object of rules by container name"));
    }
    if (worker.isEmpty()) {
      return List.of(
          forbidden(
              at,
              "only an agent that is added to run the worker can heed it (annotation %s: process)"
                  .formatted(JobSetKeys.INJECT_AGENT)));
    }
    return check(template, rules.get(), worker.get(), at);
  }

  private static Optional<ObjectNode> read(String text) {
    try {
      return Optional.of(Wire.tree(text));
    } catch (UncheckedIOException e) {
      return Optional.empty();
    }
  }

  private List<FieldError> check(
      ObjectNode template, ObjectNode rules, String worker, FieldPath at) {
    var errors = new ArrayList<FieldError>();
    var pod = Wire.object();
    pod.putObject("metadata").put("name", "p").put("namespace", "default");
    pod.set("spec", Trees.child(template, "spec").deepCopy());
    int regular = Trees.objects(pod, "spec", "containers").size();
    for (String name : Trees.keys(rules)) {
      var container =
          Stream.of("containers", "initContainers")
              .flatMap(list -> Trees.objects(pod, "spec", list).stream())
              .filter(one -> Trees.text(one, "name").equals(name))
              .findFirst();
      if (container.isEmpty()) {
        errors.add(FieldError.notFound(at, name));
        continue;
      }
      for (String field : Trees.keys(rules, name)) {
        if (!FIELDS.contains(field)) {
          errors.add(
              invalid(
                  at, name + "." + field, "only restartPolicyRules and onCompletion are known"));
        }
      }
      obstacles(rules.path(name), name, worker, regular)
          .forEach(obstacle -> errors.add(forbidden(at, obstacle)));
      putBack(container.get(), rules.path(name));
    }
    if (errors.isEmpty()) {
      judge(pod, at, errors);
    }
    return errors;
  }

  /** Why an agent could not do what a node does. */
  private static List<String> obstacles(JsonNode rules, String name, String worker, int regular) {
    var obstacles = new ArrayList<String>();
    if (!name.equals(worker)) {
      obstacles.add("\"%s\" does not run below an agent, only \"%s\" does".formatted(name, worker));
    }
    boolean endsPod = rules.has("onCompletion");
    for (JsonNode rule : rules.path("restartPolicyRules")) {
      endsPod |= Trees.text(rule, "action").equals("TerminatePod");
      if (rule.has("oomKill")) {
        obstacles.add(
            "oomKill of \"%s\": the kernel may end the agent together with the worker (name exit code 137 instead)"
                .formatted(name));
      }
      if (rule.has("terminationGracePeriodSeconds")) {
        obstacles.add(
            "terminationGracePeriodSeconds of \"%s\": an agent restarts no other container of the pod (for the other workers of the group: annotation %s)"
                .formatted(name, JobSetKeys.RESTART_GRACE));
      }
    }
    if (endsPod && regular > 1) {
      obstacles.add(
          "no agent can end the other containers for \"%s\": make them sidecars (regroup convert does where that is the same)"
              .formatted(name));
    }
    return obstacles;
  }

  private static void putBack(ObjectNode container, JsonNode rules) {
    if (rules.has("restartPolicyRules")) {
      container.set("restartPolicyRules", rules.path("restartPolicyRules").deepCopy());
      Trees.fill(container, "restartPolicy", "Never");
    }
    if (rules.has("onCompletion")) {
      Trees.child(container, "lifecycle")
          .set("onCompletion", rules.path("onCompletion").deepCopy());
    }
  }

  /** Only what concerns the rules: the rest is judged where it is written. */
  private void judge(ObjectNode pod, FieldPath at, List<FieldError> errors) {
    for (var error :
        admission.admit(new Review(POD, Operation.CREATE, pod, null), Lookup.NOTHING).errors()) {
      var path = error.path().toString();
      if (FIELDS.stream().anyMatch(path::contains)) {
        errors.add(invalid(at, path, error.body()));
      }
    }
  }
}
