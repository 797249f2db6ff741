package dev.regroup.api.admission.pod;

import static dev.regroup.api.admission.FieldError.invalid;
import static dev.regroup.api.admission.FieldError.notSupported;
import static dev.regroup.api.admission.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.admission.FieldError;
import dev.regroup.api.admission.FieldPath;
import dev.regroup.api.admission.Metadata;
import dev.regroup.api.admission.Names;
import dev.regroup.api.admission.Trees;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks of a pod spec after defaults, in Kubernetes' order. Every error of the spec is reported;
 * {@code path} is where the spec stands.
 */
public final class PodValidation {

  private static final List<String> RESTART_POLICIES = List.of("Always", "OnFailure", "Never");
  private static final List<String> DNS_POLICIES =
      List.of("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None");

  private final PodOptions options;

  public PodValidation(PodOptions options) {
    this.options = options;
  }

  public List<FieldError> spec(JsonNode spec, FieldPath path) {
    var errors = new ArrayList<FieldError>();
    var volumes = new VolumeValidation(errors).volumes(spec, path);
    var containers = new ContainerValidation(options, spec, volumes, errors);
    containers.regular(spec, path);
    containers.init(spec, path);
    containers.ephemeral(spec, path);
    restartPolicy(spec, path, errors);
    dnsPolicy(spec, path, errors);
    errors.addAll(Metadata.labels(path.field("nodeSelector"), spec.path("nodeSelector")));
    new SecurityValidation(errors).ofPod(spec, path);
    var scheduling = new SchedulingValidation(errors);
    scheduling.affinity(spec, path);
    dnsConfig(spec, path, errors);
    scheduling.gates(spec, path);
    names(spec, path, errors);
    scheduling.tolerations(spec, path);
    preemption(spec, path, errors);
    return errors;
  }

  private static void restartPolicy(JsonNode spec, FieldPath path, List<FieldError> errors) {
    String policy = Trees.text(spec, "restartPolicy");
    if (policy.isEmpty()) {
      errors.add(required(path.field("restartPolicy"), ""));
    } else if (!RESTART_POLICIES.contains(policy)) {
      errors.add(notSupported(path.field("restartPolicy"), policy, RESTART_POLICIES)); // VAL-01
    }
  }

  private static void dnsPolicy(JsonNode spec, FieldPath path, List<FieldError> errors) {
    String policy = Trees.text(spec, "dnsPolicy");
    if (policy.isEmpty()) {
      errors.add(required(path.field("dnsPolicy"), ""));
    } else if (!DNS_POLICIES.contains(policy)) {
      errors.add(notSupported(path.field("dnsPolicy"), policy, DNS_POLICIES));
    }
  }

  private static void dnsConfig(JsonNode spec, FieldPath path, List<FieldError> errors) {
    FieldPath at = path.field("dnsConfig");
    JsonNode servers = Trees.at(spec, "dnsConfig", "nameservers");
    if (Trees.text(spec, "dnsPolicy").equals("None")) {
      if (!Trees.has(spec, "dnsConfig")) {
        errors.add(required(at, "must provide `dnsConfig` when `dnsPolicy` is None"));
        return;
      }
      if (servers.isEmpty()) {
        errors.add(
            required(
                at.field("nameservers"),
                "must provide at least one DNS nameserver when `dnsPolicy` is None"));
      }
    }
    if (servers.size() > 3) {
      errors.add(
          invalid(at.field("nameservers"), servers, "must not have more than 3 nameservers"));
    }
  }

  private static void names(JsonNode spec, FieldPath path, List<FieldError> errors) {
    String account = Trees.text(spec, "serviceAccountName");
    if (!account.isEmpty()) {
      Names.subdomain(account)
          .forEach(
              problem -> errors.add(invalid(path.field("serviceAccountName"), account, problem)));
    }
    String node = Trees.text(spec, "nodeName");
    if (!node.isEmpty()) {
      Names.subdomain(node)
          .forEach(problem -> errors.add(invalid(path.field("nodeName"), node, problem)));
    }
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
        Names.label(name).forEach(problem -> errors.add(invalid(path.field(field), name, problem)));
      }
    }
  }

  private static void preemption(JsonNode spec, FieldPath path, List<FieldError> errors) {
    String policy = Trees.text(spec, "preemptionPolicy");
    var known = List.of("Never", "PreemptLowerPriority");
    if (!policy.isEmpty() && !known.contains(policy)) {
      errors.add(notSupported(path.field("preemptionPolicy"), policy, known));
    }
    JsonNode os = Trees.at(spec, "os", "name");
    if (os.isTextual() && !List.of("linux", "windows").contains(os.textValue())) {
      errors.add(
          notSupported(path.field("os", "name"), os.textValue(), List.of("linux", "windows")));
    }
  }
}
