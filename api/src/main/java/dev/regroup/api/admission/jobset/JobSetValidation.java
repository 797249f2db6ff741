package dev.regroup.api.admission.jobset;

import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.plain;
import static dev.regroup.api.admission.field.FieldError.tooLong;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gate;
import dev.regroup.api.Gates;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Checks of the validating webhook for a new JobSet (JS-45 to JS-63, JS-67, JS-69). */
final class JobSetValidation {

  private static final FieldPath SPEC = FieldPath.of("spec");
  private static final int MAX_LABEL = 63;

  private final Gates gates;
  private final Lookup lookup;
  private final ObjectNode jobSet;
  private final JsonNode spec;
  private final List<ObjectNode> jobs;
  private final String name;
  private final List<FieldError> errors = new ArrayList<>();

  JobSetValidation(Gates gates, Lookup lookup, ObjectNode jobSet) {
    this.gates = gates;
    this.lookup = lookup;
    this.jobSet = jobSet;
    this.spec = jobSet.path("spec");
    this.jobs = Trees.objects(spec, "replicatedJobs");
    this.name = name(jobSet);
  }

  /** Where the name is not made yet, a sample of what it will look like (JS-44). */
  private static String name(ObjectNode jobSet) {
    String name = Trees.text(jobSet, "metadata", "name");
    if (!name.isEmpty()) {
      return name;
    }
    String prefix = Trees.text(jobSet, "metadata", "generateName");
    return prefix.substring(0, Math.min(58, prefix.length())) + "abcde";
  }

  List<FieldError> create() {
    boolean inPlace = isInPlace(spec);
    if (inPlace && !gates.on(Gate.IN_PLACE_RESTART)) {
      errors.add(
          plain(
              "InPlaceRestart restart strategy cannot be set when InPlaceRestart feature gate is"
                  + " disabled"));
    }
    if (!jobs.isEmpty() && Trees.has(jobs.getFirst(), "dependsOn")) {
      errors.add(plain("DependsOn can't be set for the first ReplicatedJob"));
    }
    subdomain();
    managedBy();
    var earlier = new HashSet<String>();
    for (int i = 0; i < jobs.size(); i++) {
      FieldPath path = SPEC.field("replicatedJobs").index(i);
      earlier.add(Trees.text(jobs.get(i), "name"));
      replicatedJob(jobs.get(i), path);
      dependencies(jobs.get(i), i, earlier);
      if (inPlace && gates.on(Gate.IN_PLACE_RESTART)) {
        InPlaceChecks.check(jobSet, jobs.get(i), path, errors);
      }
    }
    AnnotationChecks.check(jobSet, errors);
    successPolicy();
    errors.addAll(FailureRules.check(gates, spec, jobs));
    coordinator();
    errors.addAll(new VolumeClaims(lookup, jobSet, jobs).check());
    return errors;
  }

  /** What must hold again when a later write sets it (JS-66). */
  List<FieldError> coordinatorOnly() {
    coordinator();
    return errors;
  }

  static boolean isInPlace(JsonNode spec) {
    return Trees.text(spec, "failurePolicy", "restartStrategy").equals("InPlaceRestart");
  }

  private void subdomain() {
    String subdomain = Trees.text(spec, "network", "subdomain");
    if (subdomain.isEmpty()) {
      return;
    }
    FieldPath path = SPEC.field("network", "subdomain");
    NameRules.subdomain(subdomain)
        .forEach(problem -> errors.add(invalid(path, subdomain, problem)));
    label(subdomain, path, ".spec.network.subdomain is too long, must be less than 63 characters");
  }

  /** An RFC 1035 label with a text of its own when it is too long. */
  private void label(String value, FieldPath path, String tooLong) {
    for (String problem : NameRules.label1035(value)) {
      boolean length = problem.startsWith("must be no more than");
      errors.add(invalid(path, value, length ? tooLong : problem));
    }
  }

  private void managedBy() {
    var manager = Trees.textIfPresent(spec, "managedBy");
    if (manager.isEmpty()) {
      return;
    }
    FieldPath path = SPEC.field("managedBy");
    errors.addAll(NameRules.domainPrefixedPath(path, manager.get()));
    if (manager.get().length() > MAX_LABEL) {
      errors.add(tooLong(path, MAX_LABEL));
    }
  }

  private void replicatedJob(ObjectNode job, FieldPath path) {
    String jobName = Trees.text(job, "name");
    long replicas = Trees.number(job, "replicas").orElse(1);
    JsonNode jobSpec = Trees.at(job, "template", "spec");
    long parallelism = Trees.number(jobSpec, "parallelism").orElse(1);
    if (parallelism * replicas > Integer.MAX_VALUE) {
      errors.add(
          plain(
              "the product of replicas and parallelism must not exceed 2147483647 for replicatedJob"
                  + " '"
                  + jobName
                  + "'"));
    }
    label(
        Trees.text(job, "groupName"),
        path.field("groupName"),
        ".spec.replicatedJob[].groupName is too long, must be less than 63 characters");
    String longest = name + "-" + jobName + "-" + Math.max(replicas - 1, 0);
    label(
        longest,
        path.field("name"),
        "JobSet name is too long, job names generated for this JobSet will exceed 63 characters");
    boolean indexed = Trees.text(jobSpec, "completionMode").equals("Indexed");
    var completions = Trees.number(jobSpec, "completions");
    if (indexed && completions.isPresent()) {
      String pod = longest + "-" + (completions.getAsLong() - 1) + "-abcde";
      for (String problem : NameRules.label1035(pod)) {
        boolean length = problem.startsWith("must be no more than");
        String text =
            "JobSet name is too long, pod names generated for this JobSet will exceed 63"
                + " characters";
        errors.add(invalid(path.field("name"), longest, length ? text : problem));
      }
    }
    exclusivePlacement(job, indexed, path);
  }

  /** Pods without a completion index could never be placed (JS-69). */
  private void exclusivePlacement(ObjectNode job, boolean indexed, FieldPath path) {
    boolean exclusive = annotated(job, JobSetKeys.EXCLUSIVE_TOPOLOGY);
    boolean byNodes = annotated(job, JobSetKeys.NODE_SELECTOR);
    if (exclusive && !byNodes && !indexed) {
      errors.add(
          invalid(
              path.field("template", "spec", "completionMode"),
              Trees.text(job, "template", "spec", "completionMode"),
              "must be Indexed when " + JobSetKeys.EXCLUSIVE_TOPOLOGY + " is set"));
    }
  }

  private boolean annotated(ObjectNode job, String key) {
    return Trees.at(job, "template", "metadata", "annotations").has(key)
        || Trees.at(jobSet, "metadata", "annotations").has(key);
  }

  private void dependencies(ObjectNode job, int index, Set<String> earlier) {
    String own = Trees.text(job, "name");
    for (ObjectNode dependency : Trees.objects(job, "dependsOn")) {
      String target = Trees.text(dependency, "name");
      boolean itself = target.equals(own) && index > 0; // the first one has its own text (JS-67)
      if (!earlier.contains(target) || itself) {
        errors.add(
            plain("replicatedJob: %s cannot depend on replicatedJob: %s".formatted(own, target)));
      }
    }
  }

  private void successPolicy() {
    var names = jobs.stream().map(job -> Trees.text(job, "name")).toList();
    for (String target : Trees.texts(spec, "successPolicy", "targetReplicatedJobs")) {
      if (!names.contains(target)) {
        errors.add(
            plain(
                "invalid replicatedJob name '%s' does not appear in .spec.ReplicatedJobs"
                    .formatted(target)));
      }
    }
  }

  private void coordinator() {
    JsonNode coordinator = spec.path("coordinator");
    if (!coordinator.isObject()) {
      return;
    }
    String target = Trees.text(coordinator, "replicatedJob");
    long jobIndex = Trees.number(coordinator, "jobIndex").orElse(0);
    long podIndex = Trees.number(coordinator, "podIndex").orElse(0);
    coordinatorProblem(target, jobIndex, podIndex).ifPresent(why -> errors.add(plain(why)));
    String subdomain = Trees.text(spec, "network", "subdomain");
    String value =
        "%s-%s-%d-%d.%s"
            .formatted(name, target, jobIndex, podIndex, subdomain.isEmpty() ? name : subdomain);
    var problems = NameRules.labelValue(value);
    if (!problems.isEmpty()) {
      errors.add(
          plain(
              ("spec will lead to invalid label value \"%s\" for coordinator label \"%s\" (long"
                      + " JobSet / ReplicatedJob / SubDomain name?): %s")
                  .formatted(value, JobSetKeys.COORDINATOR, String.join(", ", problems))));
    }
  }

  private Optional<String> coordinatorProblem(String target, long jobIndex, long podIndex) {
    var found = jobs.stream().filter(j -> Trees.text(j, "name").equals(target)).findFirst();
    if (found.isEmpty()) {
      return Optional.of("coordinator replicatedJob " + target + " does not exist");
    }
    if (jobIndex < 0 || jobIndex >= Trees.number(found.get(), "replicas").orElse(1)) {
      return Optional.of(
          "coordinator job index %d is invalid for replicatedJob %s".formatted(jobIndex, target));
    }
    JsonNode jobSpec = Trees.at(found.get(), "template", "spec");
    var completions = Trees.number(jobSpec, "completions");
    if (!Trees.text(jobSpec, "completionMode").equals("Indexed") || completions.isEmpty()) {
      return Optional.of(
          "job for coordinator pod must be indexed completion mode, and completions number must be"
              + " set");
    }
    if (podIndex < 0 || podIndex >= completions.getAsLong()) {
      return Optional.of(
          "coordinator pod index %d is invalid for replicatedJob %s job index %d"
              .formatted(podIndex, target, jobIndex));
    }
    return Optional.empty();
  }
}
