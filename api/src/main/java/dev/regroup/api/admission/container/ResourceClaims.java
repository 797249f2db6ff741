package dev.regroup.api.admission.container;

import static dev.regroup.api.admission.field.FieldError.duplicate;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.tree.Trees;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Checks of claims for devices: those of the pod, and the containers' references to them. */
public final class ResourceClaims {

  private static final List<String> SOURCES =
      List.of("resourceClaimName", "resourceClaimTemplateName");

  private final List<FieldError> errors;

  public ResourceClaims(List<FieldError> errors) {
    this.errors = errors;
  }

  /** Returns the names that containers may refer to. */
  public Set<String> ofPod(JsonNode spec, FieldPath specPath) {
    var names = new TreeSet<String>();
    var claims = Trees.objects(spec, "resourceClaims");
    for (int i = 0; i < claims.size(); i++) {
      JsonNode claim = claims.get(i);
      FieldPath path = specPath.field("resourceClaims").index(i);
      String name = Trees.text(claim, "name");
      if (name.isEmpty()) {
        errors.add(required(path.field("name"), ""));
      } else if (!names.add(name)) {
        errors.add(duplicate(path.field("name"), name));
      } else {
        NameRules.label(name)
            .forEach(problem -> errors.add(invalid(path.field("name"), name, problem)));
      }
      source(claim, path);
    }
    return names;
  }

  private void source(JsonNode claim, FieldPath path) {
    long given = SOURCES.stream().filter(field -> Trees.has(claim, field)).count();
    if (given == 2) {
      errors.add(
          invalid(
              path,
              FieldError.internal(claim),
              "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be"
                  + " specified"));
    } else if (given == 0) {
      errors.add(
          invalid(
              path,
              FieldError.internal(claim),
              "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"));
    }
    for (String field : SOURCES) {
      Trees.textIfPresent(claim, field)
          .ifPresent(name ->
              NameRules.subdomain(name)
                  .forEach(problem -> errors.add(invalid(path.field(field), name, problem))));
    }
  }

  /** References of one container; {@code known} are the names of the pod. */
  void references(JsonNode resources, Set<String> known, FieldPath path) {
    var seen = new HashSet<String>();
    var claims = Trees.objects(resources, "claims");
    for (int i = 0; i < claims.size(); i++) {
      FieldPath at = path.index(i);
      String name = Trees.text(claims.get(i), "name");
      if (name.isEmpty()) {
        errors.add(required(at, ""));
        continue;
      }
      String request = Trees.text(claims.get(i), "request");
      String key = request.isEmpty() ? name : name + "/" + request;
      if (!request.isEmpty()) {
        NameRules.label(request)
            .forEach(problem -> errors.add(invalid(at.field("request"), request, problem)));
      }
      boolean overlaps =
          seen.contains(name)
              || (request.isEmpty() && seen.stream().anyMatch(s -> s.startsWith(name + "/")));
      if (overlaps) {
        errors.add(duplicate(at, name));
      } else if (!seen.add(key)) {
        errors.add(duplicate(at, key));
      }
      if (!known.contains(name)) {
        String names = known.isEmpty() ? " which is empty" : ": " + String.join(", ", known);
        errors.add(
            new FieldError(
                FieldError.Kind.NOT_FOUND,
                at,
                name,
                "must be one of the names in pod.spec.resourceClaims" + names));
      }
    }
  }
}
