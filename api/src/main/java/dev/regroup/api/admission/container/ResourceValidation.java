package dev.regroup.api.admission.container;

import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.schema.Quantity;
import dev.regroup.api.tree.Trees;
import java.math.BigDecimal;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Checks of requests and limits, of a container and of a whole pod. */
public final class ResourceValidation {

  /** In the order in which a refusal lists what a whole pod may ask for. */
  private static final List<String> FOR_PODS = List.of("cpu", "hugepages-", "memory");

  private enum Owner {
    CONTAINER,
    POD
  }

  private final Set<String> claims;
  private final List<FieldError> errors;

  public ResourceValidation(Set<String> claims, List<FieldError> errors) {
    this.claims = claims;
    this.errors = errors;
  }

  void ofContainer(JsonNode container, FieldPath containerPath) {
    requirements(container.path("resources"), containerPath.field("resources"), Owner.CONTAINER);
  }

  /** {@code spec.resources}: the whole pod may ask for no less than its containers together. */
  public void ofPod(JsonNode spec, FieldPath specPath) {
    JsonNode resources = spec.path("resources");
    if (!resources.isObject()) {
      return;
    }
    FieldPath path = specPath.field("resources");
    if (Trees.text(spec, "os", "name").equals("windows")) {
      errors.add(forbidden(path, "may not be set for a windows pod"));
      return;
    }
    if (Trees.has(resources, "claims")) {
      errors.add(
          forbidden(path.field("claims"), "claims may not be set for Resources at pod-level"));
    }
    requirements(resources, path, Owner.POD);
    JsonNode requests = resources.path("requests");
    var together = ContainerResources.requests(spec);
    for (String name : Trees.keys(requests)) {
      Quantity sum = together.get(name);
      if (sum != null && sum.amount().compareTo(value(Trees.text(requests, name))) > 0) {
        errors.add(
            invalid(
                path.field("requests").key(name),
                Trees.text(requests, name),
                "must be greater than or equal to aggregate container requests of " + sum));
      }
    }
    containerLimits(spec, resources.path("limits"), path);
  }

  private void containerLimits(JsonNode spec, JsonNode podLimits, FieldPath path) {
    List<ObjectNode> containers = Trees.objects(spec, "containers");
    for (int i = 0; i < containers.size(); i++) {
      JsonNode limits = Trees.at(containers.get(i), "resources", "limits");
      for (String name : Trees.keys(limits)) {
        String limit = Trees.text(limits, name);
        String most = Trees.text(podLimits, name);
        if (!most.isEmpty() && value(limit).compareTo(value(most)) > 0) {
          errors.add(
              invalid(
                  path.field("containers").index(i).key(name).field("limits"),
                  limit,
                  "must be less than or equal to pod limits of " + most));
        }
      }
    }
  }

  public void overhead(JsonNode spec, FieldPath specPath) {
    JsonNode overhead = spec.path("overhead");
    for (String name : Trees.keys(overhead)) {
      FieldPath path = specPath.field("overhead").field("limits").key(name);
      name(name, Owner.CONTAINER, path);
      amount(name, Trees.text(overhead, name), path);
    }
  }

  private void requirements(JsonNode resources, FieldPath path, Owner owner) {
    JsonNode limits = resources.path("limits");
    JsonNode requests = resources.path("requests");
    FieldPath limitsPath = path.field("limits");
    for (String name : Trees.keys(limits)) {
      name(name, owner, limitsPath.key(name));
      amount(name, Trees.text(limits, name), limitsPath.key(name));
    }
    FieldPath requestsPath = path.field("requests");
    for (String name : Trees.keys(requests)) {
      String request = Trees.text(requests, name);
      name(name, owner, requestsPath.key(name));
      amount(name, request, requestsPath.key(name));
      if (limits.has(name)) {
        compare(name, request, Trees.text(limits, name), requestsPath);
      } else if (!ResourceNames.mayBeOvercommitted(name)) {
        errors.add(required(limitsPath, "Limit must be set for non overcommitable resources"));
      }
    }
    var named = new HashSet<>(Trees.keys(limits));
    named.addAll(Trees.keys(requests));
    boolean hugePages = named.stream().anyMatch(ResourceNames::isHugePages);
    if (hugePages && !named.contains("cpu") && !named.contains("memory")) {
      errors.add(forbidden(path, "HugePages require cpu or memory"));
    }
    new ResourceClaims(errors).references(resources, claims, path.field("claims"));
  }

  private void name(String name, Owner owner, FieldPath path) {
    var problems = NameRules.qualified(name);
    problems.forEach(problem -> errors.add(invalid(path, name, problem)));
    boolean plain = !name.contains("/");
    boolean unknown = problems.isEmpty() && plain && !ResourceNames.isStandard(name);
    if (unknown) {
      errors.add(invalid(path, name, "must be a standard resource type or fully qualified"));
    }
    switch (owner) {
      case CONTAINER -> {
        if (plain && !ResourceNames.isForContainers(name)) {
          errors.add(invalid(path, name, "must be a standard resource for containers"));
        } else if (!ResourceNames.isNative(name) && !ResourceNames.isExtended(name)) {
          errors.add(invalid(path, name, "doesn't follow extended resource name standard"));
        }
      }
      case POD -> {
        boolean allowed = FOR_PODS.contains(name) || ResourceNames.isHugePages(name);
        if (problems.isEmpty() && !unknown && !allowed) {
          errors.add(notSupported(path, name, FOR_PODS));
        }
      }
    }
  }

  private void amount(String name, String text, FieldPath path) {
    BigDecimal amount = value(text);
    if (amount.signum() < 0) {
      errors.add(invalid(path, text, "must be greater than or equal to 0"));
    }
    if (ResourceNames.isCounted(name) && amount.stripTrailingZeros().scale() > 0) {
      errors.add(invalid(path, text, "must be an integer"));
    }
    if (ResourceNames.isHugePages(name) && !ResourceNames.isWholePages(name, amount)) {
      errors.add(
          invalid(path, text, "%s is not positive integer multiple of %s".formatted(text, name)));
    }
  }

  private void compare(String name, String request, String limit, FieldPath path) {
    int difference = value(request).compareTo(value(limit));
    if (difference != 0 && !ResourceNames.mayBeOvercommitted(name)) {
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
}
