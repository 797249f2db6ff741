package dev.regroup.api.admission.pod;

import static dev.regroup.api.admission.FieldError.duplicate;
import static dev.regroup.api.admission.FieldError.forbidden;
import static dev.regroup.api.admission.FieldError.invalid;
import static dev.regroup.api.admission.FieldError.notSupported;
import static dev.regroup.api.admission.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.FieldError;
import dev.regroup.api.admission.FieldPath;
import dev.regroup.api.admission.Names;
import dev.regroup.api.admission.Trees;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Checks of regular, init and ephemeral containers (VAL-12, VAL-13, VAL-15, VAL-25). */
final class ContainerValidation {

  private static final List<String> PROTOCOLS = List.of("SCTP", "TCP", "UDP");
  private static final List<String> PULL_POLICIES = List.of("Always", "IfNotPresent", "Never");
  private static final List<String> MESSAGE_POLICIES = List.of("File", "FallbackToLogsOnError");
  private static final List<String> NOT_FOR_INIT =
      List.of("lifecycle", "livenessProbe", "readinessProbe", "startupProbe");
  private static final List<String> NOT_FOR_EPHEMERAL =
      List.of(
          "lifecycle",
          "livenessProbe",
          "ports",
          "readinessProbe",
          "resources",
          "restartPolicy",
          "restartPolicyRules",
          "startupProbe");

  private final Set<String> volumes;
  private final List<FieldError> errors;
  private final ContainerRules rules;
  private final ProbeValidation probes;

  ContainerValidation(
      PodOptions options, JsonNode spec, Set<String> volumes, List<FieldError> errors) {
    this.volumes = volumes;
    this.errors = errors;
    Set<String> sidecars =
        Trees.objects(spec, "initContainers").stream()
            .filter(c -> Trees.text(c, "restartPolicy").equals("Always"))
            .map(c -> Trees.text(c, "name"))
            .collect(Collectors.toSet());
    this.rules = new ContainerRules(options, sidecars, errors);
    long grace = Trees.number(spec, "terminationGracePeriodSeconds").orElse(30);
    this.probes = new ProbeValidation(options, grace, errors);
  }

  void regular(JsonNode spec, FieldPath specPath) {
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
  }

  void init(JsonNode spec, FieldPath specPath) {
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
      if (Trees.has(container, "lifecycle", "onCompletion")) {
        errors.add(
            forbidden(
                at.field("lifecycle", "onCompletion"), "may only be set for regular containers"));
      }
      if (Trees.text(container, "restartPolicy").equals("Always")) {
        probes.lifecycle(container, at);
        probes.probes(container, at);
        continue;
      }
      for (String field : NOT_FOR_INIT) {
        if (Trees.has(container, field)) {
          errors.add(
              forbidden(
                  at.field(field),
                  "may not be set for init containers without restartPolicy=Always"));
        }
      }
    }
  }

  void ephemeral(JsonNode spec, FieldPath specPath) {
    FieldPath path = specPath.field("ephemeralContainers");
    var names = new HashSet<String>();
    for (String list : List.of("containers", "initContainers")) {
      Trees.objects(spec, list).forEach(c -> names.add(Trees.text(c, "name")));
    }
    var containers = Trees.objects(spec, "ephemeralContainers");
    for (int i = 0; i < containers.size(); i++) {
      ObjectNode container = containers.get(i);
      FieldPath at = path.index(i);
      common(container, at);
      unique(container, names, at);
      for (String field : NOT_FOR_EPHEMERAL) {
        if (!container.path(field).isMissingNode() && !isEmptyObject(container.path(field))) {
          errors.add(forbidden(at.field(field), "cannot be set for an Ephemeral Container"));
        }
      }
      String target = Trees.text(container, "targetContainerName");
      boolean known =
          Trees.objects(spec, "containers").stream()
              .anyMatch(c -> Trees.text(c, "name").equals(target));
      if (!target.isEmpty() && !known) {
        errors.add(FieldError.notFound(at.field("targetContainerName"), target));
      }
    }
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
      Names.label(name).forEach(problem -> errors.add(invalid(path.field("name"), name, problem)));
    }
    String image = Trees.text(container, "image");
    if (image.isEmpty()) {
      errors.add(required(path.field("image"), ""));
    } else if (!image.strip().equals(image)) {
      errors.add(
          invalid(path.field("image"), image, "must not have leading or trailing whitespace"));
    }
    String messages = Trees.text(container, "terminationMessagePolicy");
    if (!messages.isEmpty() && !MESSAGE_POLICIES.contains(messages)) {
      errors.add(notSupported(path.field("terminationMessagePolicy"), messages, MESSAGE_POLICIES));
    }
    ports(container, path);
    new EnvironmentValidation(errors).variables(container, path);
    new VolumeValidation(errors).mounts(container, volumes, path);
    String pull = Trees.text(container, "imagePullPolicy");
    if (!pull.isEmpty() && !PULL_POLICIES.contains(pull)) {
      errors.add(notSupported(path.field("imagePullPolicy"), pull, PULL_POLICIES));
    }
    new ResourceValidation(errors).resources(container, path);
    new SecurityValidation(errors).ofContainer(container, path);
  }

  private void ports(ObjectNode container, FieldPath path) {
    var names = new HashSet<String>();
    var ports = Trees.objects(container, "ports");
    for (int i = 0; i < ports.size(); i++) {
      ObjectNode port = ports.get(i);
      FieldPath at = path.field("ports").index(i);
      String name = Trees.text(port, "name");
      if (!name.isEmpty()) {
        var problems = Names.portName(name);
        problems.forEach(problem -> errors.add(invalid(at.field("name"), name, problem)));
        if (problems.isEmpty() && !names.add(name)) {
          errors.add(duplicate(at.field("name"), name));
        }
      }
      long number = Trees.number(port, "containerPort").orElse(0);
      if (number == 0) {
        errors.add(required(at.field("containerPort"), ""));
      } else {
        Names.portNumber(number)
            .forEach(problem -> errors.add(invalid(at.field("containerPort"), number, problem)));
      }
      long host = Trees.number(port, "hostPort").orElse(0);
      if (host != 0) {
        Names.portNumber(host)
            .forEach(problem -> errors.add(invalid(at.field("hostPort"), host, problem)));
      }
      String protocol = Trees.text(port, "protocol");
      if (protocol.isEmpty()) {
        errors.add(required(at.field("protocol"), ""));
      } else if (!PROTOCOLS.contains(protocol)) {
        errors.add(notSupported(at.field("protocol"), protocol, PROTOCOLS));
      }
    }
  }
}
