package dev.regroup.api.admission.pod;

import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;
import static dev.regroup.api.admission.field.FieldError.tooLong;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.admission.container.ContainerValidation;
import dev.regroup.api.admission.container.EnvironmentValidation;
import dev.regroup.api.admission.container.MountValidation;
import dev.regroup.api.admission.container.PodOptions;
import dev.regroup.api.admission.container.ResourceClaims;
import dev.regroup.api.admission.container.ResourceValidation;
import dev.regroup.api.admission.container.SecurityValidation;
import dev.regroup.api.admission.container.WindowsOptions;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.Metadata;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks of a pod spec after defaults, in Kubernetes' order. Every error of the spec is reported;
 * {@code path} is where the spec stands. A template is judged a little milder than a pod: what only
 * a pod can know (its name, host ports filled in) is left out.
 */
public final class PodValidation {

  private static final List<String> RESTART_POLICIES = List.of("Always", "OnFailure", "Never");
  private static final List<String> DNS_POLICIES =
      List.of("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None");
  private static final List<String> PREEMPTION_POLICIES = List.of("Never", "PreemptLowerPriority");
  private static final List<String> SYSTEMS = List.of("linux", "windows");
  private static final int MAX_HOSTNAME = 64;
  private static final String DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";
  private static final Pattern INTEGER = Pattern.compile("0|-?[1-9][0-9]{0,9}");

  private final PodOptions options;
  private final @Nullable String podName;

  private PodValidation(PodOptions options, @Nullable String podName) {
    this.options = options;
    this.podName = podName;
  }

  /** A whole template: its labels and annotations, then its spec. */
  public static List<FieldError> template(PodOptions options, JsonNode template, FieldPath path) {
    var errors = new ArrayList<FieldError>();
    JsonNode metadata = template.path("metadata");
    // The paths really lack the word metadata.
    errors.addAll(Metadata.labels(path.field("labels"), metadata.path("labels")));
    FieldPath annotations = path.field("annotations");
    errors.addAll(Metadata.annotations(annotations, metadata.path("annotations")));
    errors.addAll(deletionCost(metadata.path("annotations"), annotations));
    FieldPath specPath = path.field("spec");
    errors.addAll(new PodValidation(options, null).spec(template.path("spec"), specPath));
    if (Trees.has(template, "spec", "ephemeralContainers")) {
      errors.add(
          forbidden(
              specPath.field("ephemeralContainers"),
              "ephemeral containers not allowed in pod template"));
    }
    return errors;
  }

  /** A whole pod but for the metadata that all kinds share. */
  public static List<FieldError> pod(PodOptions options, JsonNode pod) {
    var errors = new ArrayList<>(annotations(pod));
    String name = Trees.text(pod, "metadata", "name");
    errors.addAll(new PodValidation(options, name).spec(pod.path("spec"), FieldPath.of("spec")));
    return errors;
  }

  /** What a pod's annotations must be, whatever its spec is. */
  static List<FieldError> annotations(JsonNode pod) {
    return deletionCost(
        pod.path("metadata").path("annotations"), FieldPath.of("metadata", "annotations"));
  }

  private static List<FieldError> deletionCost(JsonNode annotations, FieldPath path) {
    String cost = Trees.text(annotations, DELETION_COST);
    boolean number = !annotations.has(DELETION_COST) || INTEGER.matcher(cost).matches();
    boolean fits = number && (cost.isEmpty() || Long.parseLong(cost) == (int) Long.parseLong(cost));
    return fits
        ? List.of()
        : List.of(invalid(path.key(DELETION_COST), cost, "must be a 32bit integer"));
  }

  private List<FieldError> spec(JsonNode spec, FieldPath path) {
    var errors = new ArrayList<FieldError>();
    var volumes = new VolumeValidation(Optional.ofNullable(podName), errors).volumes(spec, path);
    var claims = new ResourceClaims(errors).ofPod(spec, path);
    var resources = new ResourceValidation(claims, errors);
    var security = new SecurityValidation(spec, errors);
    var parts =
        new ContainerValidation.Parts(new MountValidation(volumes, errors), resources, security);
    var containers = new ContainerValidation(options, spec, parts, errors);
    containers.regular(spec, path);
    containers.init(spec, path);
    containers.ephemeral(spec, path);
    resources.ofPod(spec, path);
    security.hostPorts(spec, path, podName != null);
    oneOf(spec, "restartPolicy", RESTART_POLICIES, path, errors); // VAL-01
    oneOf(spec, "dnsPolicy", DNS_POLICIES, path, errors);
    errors.addAll(Metadata.labels(path.field("nodeSelector"), spec.path("nodeSelector")));
    security.ofPod(spec, path);
    var scheduling = new SchedulingValidation(errors);
    scheduling.affinity(spec, path);
    new DnsValidation(errors).config(spec, path);
    scheduling.gates(spec, path);
    new SpreadValidation(errors).constraints(spec, path);
    new WindowsOptions(errors).hostProcesses(spec, path);
    security.hostUsers(spec, path);
    hostnameOverride(spec, path, errors);
    names(spec, path, errors);
    scheduling.tolerations(spec, path);
    new DnsValidation(errors).hostAliases(spec, path);
    classes(spec, path, errors);
    resources.overhead(spec, path);
    system(spec, path, errors);
    new EnvironmentValidation(errors).fileVolumes(spec, path);
    if (podName != null) {
      containers.images(spec, path);
    }
    return errors;
  }

  private static void oneOf(
      JsonNode spec, String field, List<String> known, FieldPath path, List<FieldError> errors) {
    String value = Trees.text(spec, field);
    if (value.isEmpty()) {
      errors.add(required(path.field(field), ""));
    } else if (!known.contains(value)) {
      errors.add(notSupported(path.field(field), value, known));
    }
  }

  private static void hostnameOverride(JsonNode spec, FieldPath path, List<FieldError> errors) {
    var name = Trees.textIfPresent(spec, "hostnameOverride");
    if (name.isEmpty()) {
      return;
    }
    FieldPath at = path.field("hostnameOverride");
    for (String other : List.of("setHostnameAsFQDN", "hostNetwork")) {
      if (Trees.isTrue(spec, other)) {
        errors.add(forbidden(at, "may not be specified when " + other + " is true"));
      }
    }
    if (name.get().length() > MAX_HOSTNAME) {
      errors.add(tooLong(at, MAX_HOSTNAME));
    }
    NameRules.subdomain(name.get())
        .forEach(problem -> errors.add(invalid(at, name.get(), problem)));
  }

  private static void names(JsonNode spec, FieldPath path, List<FieldError> errors) {
    subdomain(spec, "serviceAccountName", path, errors);
    subdomain(spec, "nodeName", path, errors);
    var deadline = Trees.number(spec, "activeDeadlineSeconds");
    if (deadline.isPresent()
        && (deadline.getAsLong() < 1 || deadline.getAsLong() > Integer.MAX_VALUE)) {
      errors.add(
          invalid(
              path.field("activeDeadlineSeconds"),
              deadline.getAsLong(),
              "must be between 1 and 2147483647, inclusive"));
    }
    for (String field : List.of("hostname", "subdomain")) {
      String name = Trees.text(spec, field);
      if (!name.isEmpty()) {
        NameRules.label(name)
            .forEach(problem -> errors.add(invalid(path.field(field), name, problem)));
      }
    }
  }

  private static void classes(JsonNode spec, FieldPath path, List<FieldError> errors) {
    subdomain(spec, "priorityClassName", path, errors);
    Trees.textIfPresent(spec, "runtimeClassName")
        .ifPresent(name ->
            NameRules.subdomain(name)
                .forEach(
                    problem -> errors.add(invalid(path.field("runtimeClassName"), name, problem))));
    if (!Trees.text(spec, "preemptionPolicy").isEmpty()) {
      oneOf(spec, "preemptionPolicy", PREEMPTION_POLICIES, path, errors);
    }
  }

  private static void subdomain(
      JsonNode spec, String field, FieldPath path, List<FieldError> errors) {
    String name = Trees.text(spec, field);
    if (!name.isEmpty()) {
      NameRules.subdomain(name)
          .forEach(problem -> errors.add(invalid(path.field(field), name, problem)));
    }
  }

  private static void system(JsonNode spec, FieldPath path, List<FieldError> errors) {
    if (!Trees.has(spec, "os")) {
      return;
    }
    String name = Trees.text(spec, "os", "name");
    if (name.isEmpty()) {
      errors.add(required(path.field("os", "name"), ""));
    } else if (!SYSTEMS.contains(name)) {
      errors.add(notSupported(path.field("os"), name, SYSTEMS));
    } else {
      new SystemValidation(errors).check(spec, name, path);
    }
  }
}
