package dev.regroup.api.admission.pod;

import static dev.regroup.api.admission.FieldError.invalid;
import static dev.regroup.api.admission.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.admission.FieldError;
import dev.regroup.api.admission.FieldPath;
import dev.regroup.api.admission.Names;
import dev.regroup.api.admission.Trees;
import dev.regroup.api.schema.Quantity;
import java.math.BigDecimal;
import java.util.List;
import java.util.Set;

/** Checks of a container's requests and limits. */
final class ResourceValidation {

  private static final Set<String> FOR_CONTAINERS = Set.of("cpu", "memory", "ephemeral-storage");
  private static final Set<String> STANDARD =
      Set.of(
          "cpu",
          "memory",
          "ephemeral-storage",
          "storage",
          "pods",
          "services",
          "secrets",
          "configmaps");

  private final List<FieldError> errors;

  ResourceValidation(List<FieldError> errors) {
    this.errors = errors;
  }

  void resources(JsonNode container, FieldPath containerPath) {
    FieldPath path = containerPath.field("resources");
    JsonNode limits = Trees.at(container, "resources", "limits");
    JsonNode requests = Trees.at(container, "resources", "requests");
    FieldPath limitsPath = path.field("limits");
    for (String name : Trees.keys(limits)) {
      amount(name, Trees.text(limits, name), limitsPath.key(name));
    }
    FieldPath requestsPath = path.field("requests");
    for (String name : Trees.keys(requests)) {
      amount(name, Trees.text(requests, name), requestsPath.key(name));
      if (limits.has(name)) {
        compare(name, Trees.text(requests, name), Trees.text(limits, name), requestsPath);
      } else if (isExtended(name)) {
        errors.add(required(limitsPath, "Limit must be set for non overcommitable resources"));
      }
    }
  }

  private void amount(String name, String text, FieldPath path) {
    Names.qualified(name).forEach(problem -> errors.add(invalid(path, name, problem)));
    boolean forContainers = FOR_CONTAINERS.contains(name) || name.startsWith("hugepages-");
    if (!name.contains("/")) {
      if (!STANDARD.contains(name) && !forContainers) {
        errors.add(invalid(path, name, "must be a standard resource type or fully qualified"));
      }
      if (!forContainers) {
        errors.add(invalid(path, name, "must be a standard resource for containers"));
      }
    }
    BigDecimal amount = value(text);
    if (amount.signum() < 0) {
      errors.add(invalid(path, text, "must be greater than or equal to 0"));
    }
    if (isExtended(name) && amount.stripTrailingZeros().scale() > 0) {
      errors.add(invalid(path, text, "must be an integer"));
    }
  }

  private void compare(String name, String request, String limit, FieldPath path) {
    int difference = value(request).compareTo(value(limit));
    if (isExtended(name) && difference != 0) {
      errors.add(invalid(path, request, "must be equal to %s limit of %s".formatted(name, limit)));
    } else if (difference > 0) {
      errors.add(
          invalid(
              path,
              request,
              "must be less than or equal to %s limit of %s".formatted(name, limit)));
    }
  }

  private static BigDecimal value(String text) {
    return Quantity.of(text).map(Quantity::amount).orElse(BigDecimal.ZERO);
  }

  /** A device or other resource that cannot be shared out twice. */
  private static boolean isExtended(String name) {
    return name.startsWith("hugepages-")
        || (name.contains("/") && !name.contains("kubernetes.io/"));
  }
}
