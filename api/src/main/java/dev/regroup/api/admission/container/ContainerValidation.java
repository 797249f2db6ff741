package dev.regroup.api.admission.container;

import static dev.regroup.api.admission.field.FieldError.duplicate;
import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notFound;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.tree.Trees;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Checks of regular, init and ephemeral containers (VAL-12, VAL-13, VAL-15, VAL-25). */
public final class ContainerValidation {

  private static final List<String> PULL_POLICIES = List.of("Always", "IfNotPresent", "Never");
  private static final List<String> MESSAGE_POLICIES = List.of("File", "FallbackToLogsOnError");
  private static final List<String> RESIZED = List.of("cpu", "memory");
  private static final List<String> RESIZE_POLICIES = List.of("NotRequired", "RestartContainer");
  private static final List<String> NOT_FOR_INIT =
      List.of("lifecycle", "livenessProbe", "readinessProbe", "startupProbe");
  private static final List<String> NOT_FOR_EPHEMERAL =
      List.of(
          "ports",
          "resources",
          "resizePolicy",
          "restartPolicy",
          "restartPolicyRules",
          "livenessProbe",
          "readinessProbe",
          "startupProbe",
          "lifecycle");
  private static final String NO_EPHEMERAL = "cannot be set for an Ephemeral Container";

  /** What all containers of the pod share: where they mount, what they may ask for and be. */
  public record Parts(
      MountValidation mounts, ResourceValidation resources, SecurityValidation security) {}

  private final Parts parts;
  private final boolean neverRestarts;
  private final List<FieldError> errors;
  private final ContainerRules rules;
  private final ProbeValidation probes;
  private final PortValidation ports;

  public ContainerValidation(
      PodOptions options, JsonNode spec, Parts parts, List<FieldError> errors) {
    this.parts = parts;
    this.neverRestarts = Trees.text(spec, "restartPolicy").equals("Never");
    this.errors = errors;
    Set<String> sidecars =
        Trees.objects(spec, "initContainers").stream()
            .filter(c -> Trees.text(c, "restartPolicy").equals("Always"))
            .map(c -> Trees.text(c, "name"))
            .collect(Collectors.toSet());
    this.rules = new ContainerRules(options, sidecars, errors);
    this.ports = new PortValidation(errors);
    long grace = Trees.number(spec, "terminationGracePeriodSeconds").orElse(30);
    this.probes = new ProbeValidation(options, grace, Trees.text(spec, "os", "name"), errors);
  }

  public void regular(JsonNode spec, FieldPath specPath) {
    FieldPath path = specPath.field("containers");
    var containers = Trees.objects(spec, "containers");
    if (containers.isEmpty()) {
      errors.add(required(path, ""));
      return;
    }
    var names = new HashSet<String>();
    for (int i = 0; i < containers.size(); i++) {
      ObjectNode container = containers.get(i);
      FieldPath at = path.index(i);
      common(container, at);
      unique(container, names, at);
      probes.lifecycle(container, at);
      probes.onCompletion(container, at);
      probes.probes(container, at);
      rules.ofRegular(container, at);
    }
    ports.uniqueOnHost(containers, path);
  }

  public void init(JsonNode spec, FieldPath specPath) {
    FieldPath path = specPath.field("initContainers");
    var names =
        Trees.objects(spec, "containers").stream()
            .map(c -> Trees.text(c, "name"))
            .collect(Collectors.toCollection(HashSet::new));
    var containers = Trees.objects(spec, "initContainers");
    for (int i = 0; i < containers.size(); i++) {
      ObjectNode container = containers.get(i);
      FieldPath at = path.index(i);
      common(container, at);
      rules.ofInit(container, at);
      unique(container, names, at);
      ports.uniqueOnHost(List.of(container), path); // init containers run one by one
      noCompletion(container, at);
      if (Trees.text(container, "restartPolicy").equals("Always")) {
        probes.lifecycle(container, at);
        probes.probes(container, at);
        continue;
      }
      resizeOfInit(container, at);
      for (String field : NOT_FOR_INIT) {
        if (Trees.has(container, field) && !isOnlyCompletion(container, field)) {
          errors.add(
              forbidden(
                  at.field(field),
                  "may not be set for init containers without restartPolicy=Always"));
        }
      }
    }
  }

  public void ephemeral(JsonNode spec, FieldPath specPath) {
    FieldPath path = specPath.field("ephemeralContainers");
    var names = new HashSet<String>();
    for (String list : List.of("containers", "initContainers")) {
      Trees.objects(spec, list).forEach(c -> names.add(Trees.text(c, "name")));
    }
    var others = Set.copyOf(names);
    var containers = Trees.objects(spec, "ephemeralContainers");
    for (int i = 0; i < containers.size(); i++) {
      ObjectNode container = containers.get(i);
      FieldPath at = path.index(i);
      common(container, at);
      image(container, at);
      unique(container, names, at);
      String target = Trees.text(container, "targetContainerName");
      if (!target.isEmpty() && !others.contains(target)) {
        errors.add(notFound(at.field("targetContainerName"), target));
      }
      noCompletion(container, at);
      for (String field : NOT_FOR_EPHEMERAL) {
        boolean unset = isOnlyCompletion(container, field) || isEmptyObject(container.path(field));
        if (Trees.has(container, field) && !unset) {
          errors.add(forbidden(at.field(field), NO_EPHEMERAL));
        }
      }
      var mounts = Trees.objects(container, "volumeMounts");
      for (int j = 0; j < mounts.size(); j++) {
        for (String field : List.of("subPath", "subPathExpr")) {
          if (!Trees.text(mounts.get(j), field).isEmpty()) {
            errors.add(forbidden(at.field("volumeMounts").index(j).field(field), NO_EPHEMERAL));
          }
        }
      }
    }
  }

  /** Only a regular container can end its pod by completing (VAL-15). */
  private void noCompletion(ObjectNode container, FieldPath path) {
    if (Trees.has(container, "lifecycle", "onCompletion")) {
      errors.add(
          forbidden(
              path.field("lifecycle", "onCompletion"), "may only be set for regular containers"));
    }
  }

  /** That part of a lifecycle has its own refusal. */
  private static boolean isOnlyCompletion(ObjectNode container, String field) {
    return field.equals("lifecycle")
        && Trees.keys(container, field).equals(List.of("onCompletion"));
  }

  private static boolean isEmptyObject(JsonNode node) {
    return node.isObject() && node.isEmpty(); // defaults write resources: {}
  }

  private void unique(ObjectNode container, Set<String> names, FieldPath path) {
    String name = Trees.text(container, "name");
    if (!name.isEmpty() && !names.add(name)) {
      errors.add(duplicate(path.field("name"), name));
    }
  }

  private void common(ObjectNode container, FieldPath path) {
    String name = Trees.text(container, "name");
    if (name.isEmpty()) {
      errors.add(required(path.field("name"), ""));
    } else {
      NameRules.label(name)
          .forEach(problem -> errors.add(invalid(path.field("name"), name, problem)));
    }
    if (Trees.text(container, "image").isEmpty()) {
      errors.add(required(path.field("image"), ""));
    }
    String messages = Trees.text(container, "terminationMessagePolicy");
    if (!messages.isEmpty() && !MESSAGE_POLICIES.contains(messages)) {
      errors.add(notSupported(path.field("terminationMessagePolicy"), messages, MESSAGE_POLICIES));
    }
    ports.ofContainer(container, path);
    new EnvironmentValidation(errors).variables(container, path);
    parts.mounts().check(container, path);
    String pull = Trees.text(container, "imagePullPolicy");
    if (!pull.isEmpty() && !PULL_POLICIES.contains(pull)) {
      errors.add(notSupported(path.field("imagePullPolicy"), pull, PULL_POLICIES));
    }
    parts.resources().ofContainer(container, path);
    resize(container, path.field("resizePolicy"));
    parts.security().ofContainer(container, path);
  }

  /** Names of images of a pod; a template may hold what is replaced later. */
  public void images(JsonNode spec, FieldPath specPath) {
    for (String list : List.of("containers", "initContainers")) {
      var containers = Trees.objects(spec, list);
      for (int i = 0; i < containers.size(); i++) {
        image(containers.get(i), specPath.field(list).index(i));
      }
    }
  }

  private void image(ObjectNode container, FieldPath path) {
    String image = Trees.text(container, "image");
    if (!image.strip().equals(image)) {
      errors.add(
          invalid(path.field("image"), image, "must not have leading or trailing whitespace"));
    }
  }

  /** Every problem is reported at the list. */
  private void resize(ObjectNode container, FieldPath path) {
    var resources = new HashSet<String>();
    var policies = Trees.objects(container, "resizePolicy");
    for (int i = 0; i < policies.size(); i++) {
      String resource = Trees.text(policies.get(i), "resourceName");
      String policy = Trees.text(policies.get(i), "restartPolicy");
      if (!resources.add(resource)) {
        errors.add(duplicate(path.index(i), resource));
      }
      oneOf(resource, RESIZED, path);
      oneOf(policy, RESIZE_POLICIES, path);
      if (neverRestarts && !policy.equals("NotRequired")) {
        errors.add(
            invalid(path, policy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
      }
    }
  }

  private void oneOf(String value, List<String> known, FieldPath path) {
    if (value.isEmpty()) {
      errors.add(required(path, ""));
    } else if (!known.contains(value)) {
      errors.add(notSupported(path, value, known));
    }
  }

  private void resizeOfInit(ObjectNode container, FieldPath path) {
    var policies = Trees.objects(container, "resizePolicy");
    for (int i = 0; i < policies.size(); i++) {
      String policy = Trees.text(policies.get(i), "restartPolicy");
      if (policy.equals("RestartContainer")) {
        errors.add(
            invalid(
                path.field("resizePolicy").index(i).field("restartPolicy"),
                policy,
                "must not be set to 'RestartContainer' for non-sidecar initContainers"));
      }
    }
  }
}
