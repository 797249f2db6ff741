package dev.regroup.api.admission.container;

import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.tree.Trees;
import java.util.List;

/** Checks of probes and hooks (VAL-14 to VAL-24, VAL-28). */
final class ProbeValidation {

  private static final List<String> HOOK_HANDLERS =
      List.of("exec", "httpGet", "tcpSocket", "sleep");
  private static final List<String> PROBE_HANDLERS =
      List.of("exec", "httpGet", "tcpSocket", "grpc");

  private final PodOptions options;
  private final long podGrace;
  private final String system;
  private final List<FieldError> errors;

  /**
   * @param system {@code spec.os.name}; empty when the pod does not say
   */
  ProbeValidation(PodOptions options, long podGrace, String system, List<FieldError> errors) {
    this.options = options;
    this.system = system;
    this.podGrace = podGrace;
    this.errors = errors;
  }

  void lifecycle(JsonNode container, FieldPath containerPath) {
    JsonNode lifecycle = container.path("lifecycle");
    FieldPath path = containerPath.field("lifecycle");
    for (String hook : List.of("postStart", "preStop")) {
      if (Trees.has(lifecycle, hook)) {
        handler(lifecycle.path(hook), HOOK_HANDLERS, path.field(hook));
      }
    }
    if (Trees.has(lifecycle, PodOptions.STOP_SIGNAL)) {
      StopSignals.check(
          lifecycle.path(PodOptions.STOP_SIGNAL).asText(),
          system,
          path.field(PodOptions.STOP_SIGNAL),
          errors);
    }
  }

  /** {@code lifecycle.onCompletion} of a regular container (VAL-14, VAL-28). */
  void onCompletion(JsonNode container, FieldPath containerPath) {
    JsonNode value = Trees.at(container, "lifecycle", "onCompletion");
    if (value.isMissingNode()) {
      return;
    }
    FieldPath path = containerPath.field("lifecycle", "onCompletion");
    if (!options.onCompletion()) {
      errors.add(
          forbidden(
              path, "may not be set when feature gate TerminatePodOnContainerCompletion is off"));
      return;
    }
    if (value.isObject()) {
      errors.add(
          notSupported(
              path.field("builtin"), Trees.text(value, "builtin"), List.of("TerminatePod")));
    } else if (!value.asText().equals("TerminatePod")) {
      errors.add(notSupported(path, value, List.of("TerminatePod")));
    }
  }

  void probes(JsonNode container, FieldPath path) {
    probe(container, "livenessProbe", path);
    probe(container, "readinessProbe", path);
    probe(container, "startupProbe", path);
  }

  private void probe(JsonNode container, String name, FieldPath containerPath) {
    JsonNode probe = container.path(name);
    if (!probe.isObject()) {
      return;
    }
    FieldPath path = containerPath.field(name);
    handler(probe, PROBE_HANDLERS, path);
    for (String field :
        List.of(
            "initialDelaySeconds",
            "timeoutSeconds",
            "periodSeconds",
            "successThreshold",
            "failureThreshold")) {
      long value = Trees.number(probe, field).orElse(0);
      if (value < 0) {
        errors.add(invalid(path.field(field), value, "must be greater than or equal to 0"));
      }
    }
    boolean readiness = name.equals("readinessProbe");
    FieldPath gracePath = path.field("terminationGracePeriodSeconds");
    var grace = Trees.number(probe, "terminationGracePeriodSeconds");
    if (grace.isPresent() && grace.getAsLong() <= 0) {
      errors.add(invalid(gracePath, grace.getAsLong(), "must be greater than 0"));
    }
    if (grace.isPresent() && readiness) {
      errors.add(invalid(gracePath, grace.getAsLong(), "must not be set for readinessProbes"));
    }
    long successes = Trees.number(probe, "successThreshold").orElse(1);
    if (!readiness && successes != 1) {
      errors.add(invalid(path.field("successThreshold"), successes, "must be 1"));
    }
  }

  private void handler(JsonNode owner, List<String> kinds, FieldPath path) {
    int found = 0;
    for (String kind : kinds) {
      if (!Trees.has(owner, kind)) {
        continue;
      }
      found++;
      FieldPath at = path.field(kind);
      if (found > 1) {
        errors.add(forbidden(at, "may not specify more than 1 handler type"));
        continue;
      }
      JsonNode action = owner.path(kind);
      switch (kind) {
        case "exec" -> exec(action, at);
        case "httpGet" -> httpGet(action, at);
        case "sleep" -> sleep(action, at);
        default -> port(action.path("port"), at.field("port"));
      }
    }
    if (found == 0) {
      errors.add(required(path, "must specify a handler type"));
    }
  }

  private void exec(JsonNode action, FieldPath path) {
    if (action.path("command").isEmpty()) {
      errors.add(required(path.field("command"), ""));
    }
  }

  private void httpGet(JsonNode action, FieldPath path) {
    if (Trees.text(action, "path").isEmpty()) {
      errors.add(required(path.field("path"), ""));
    }
    port(action.path("port"), path.field("port"));
    String scheme = Trees.text(action, "scheme");
    if (!scheme.equals("HTTP") && !scheme.equals("HTTPS")) {
      errors.add(notSupported(path.field("scheme"), scheme, List.of("HTTP", "HTTPS")));
    }
    for (JsonNode header : action.path("httpHeaders")) {
      String name = Trees.text(header, "name");
      NameRules.httpHeader(name)
          .forEach(problem -> errors.add(invalid(path.field("httpHeaders"), name, problem)));
    }
  }

  private void sleep(JsonNode action, FieldPath path) {
    long seconds = Trees.number(action, "seconds").orElse(0);
    if (seconds < 0 || seconds > podGrace) {
      errors.add(
          invalid(
              path,
              seconds,
              "must be non-negative and less than terminationGracePeriodSeconds (%d)"
                  .formatted(podGrace)));
    }
  }

  private void port(JsonNode port, FieldPath path) {
    if (port.isTextual()) {
      String name = port.textValue();
      NameRules.portName(name).forEach(problem -> errors.add(invalid(path, name, problem)));
      return;
    }
    long number = port.asLong(0);
    NameRules.portNumber(number).forEach(problem -> errors.add(invalid(path, number, problem)));
  }
}
