package dev.regroup.api.admission.pod;

import static dev.regroup.api.admission.FieldError.invalid;
import static dev.regroup.api.admission.FieldError.notSupported;
import static dev.regroup.api.admission.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.admission.FieldError;
import dev.regroup.api.admission.FieldPath;
import dev.regroup.api.admission.Names;
import dev.regroup.api.admission.Trees;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Checks of {@code env}, {@code envFrom} and of references to fields of the pod. */
final class EnvironmentValidation {

  private static final List<String> SOURCES =
      List.of("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef");
  private static final Pattern SUBSCRIPT =
      Pattern.compile("(metadata\\.(?:labels|annotations))\\['(.+)']");

  private static final Set<String> KNOWN_FIELDS =
      Set.of(
          "metadata.annotations",
          "metadata.labels",
          "metadata.name",
          "metadata.namespace",
          "metadata.uid",
          "spec.nodeName",
          "spec.restartPolicy",
          "spec.serviceAccountName",
          "spec.schedulerName",
          "status.phase",
          "status.hostIP",
          "status.hostIPs",
          "status.podIP",
          "status.podIPs");

  /** In the order in which a refusal lists them. */
  static final List<String> VARIABLE_FIELDS =
      List.of(
          "metadata.name",
          "metadata.namespace",
          "metadata.uid",
          "spec.nodeName",
          "spec.serviceAccountName",
          "status.hostIP",
          "status.hostIPs",
          "status.podIP",
          "status.podIPs");

  static final List<String> FILE_FIELDS =
      List.of(
          "metadata.annotations",
          "metadata.labels",
          "metadata.name",
          "metadata.namespace",
          "metadata.uid");

  private final List<FieldError> errors;

  EnvironmentValidation(List<FieldError> errors) {
    this.errors = errors;
  }

  void variables(JsonNode container, FieldPath containerPath) {
    FieldPath path = containerPath.field("env");
    var variables = Trees.objects(container, "env");
    for (int i = 0; i < variables.size(); i++) {
      JsonNode variable = variables.get(i);
      FieldPath at = path.index(i);
      String name = Trees.text(variable, "name");
      if (name.isEmpty()) {
        errors.add(required(at.field("name"), ""));
      }
      Names.environmentVariable(name)
          .forEach(problem -> errors.add(invalid(at.field("name"), name, problem)));
      if (Trees.has(variable, "valueFrom")) {
        source(variable, at.field("valueFrom"));
      }
    }
    imports(container, containerPath.field("envFrom"));
  }

  private void source(JsonNode variable, FieldPath path) {
    JsonNode from = variable.path("valueFrom");
    long count = SOURCES.stream().filter(source -> Trees.has(from, source)).count();
    if (Trees.has(from, "fieldRef")) {
      field(from.path("fieldRef"), VARIABLE_FIELDS, path.field("fieldRef"));
    }
    for (String ref : List.of("configMapKeyRef", "secretKeyRef")) {
      if (Trees.has(from, ref)) {
        key(from.path(ref), path.field(ref));
      }
    }
    if (Trees.has(from, "resourceFieldRef")
        && Trees.text(from, "resourceFieldRef", "resource").isEmpty()) {
      errors.add(required(path.field("resourceFieldRef", "resource"), ""));
    }
    if (count == 0) {
      errors.add(
          invalid(
              path,
              "",
              "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`,"
                  + " `secretKeyRef` or `fileKeyRef`"));
    } else if (!Trees.text(variable, "value").isEmpty()) {
      errors.add(invalid(path, "", "may not be specified when `value` is not empty"));
    } else if (count > 1) {
      errors.add(invalid(path, "", "may not have more than one field specified at a time"));
    }
  }

  private void key(JsonNode ref, FieldPath path) {
    if (Trees.text(ref, "name").isEmpty()) {
      errors.add(required(path.field("name"), ""));
    }
    String key = Trees.text(ref, "key");
    if (key.isEmpty()) {
      errors.add(required(path.field("key"), ""));
      return;
    }
    Names.configKey(key).forEach(problem -> errors.add(invalid(path.field("key"), key, problem)));
  }

  /** A reference to a field of the pod itself. */
  void field(JsonNode ref, List<String> allowed, FieldPath path) {
    String field = Trees.text(ref, "fieldPath");
    FieldPath at = path.field("fieldPath");
    if (Trees.text(ref, "apiVersion").isEmpty()) {
      errors.add(required(path.field("apiVersion"), ""));
    }
    if (field.isEmpty()) {
      errors.add(required(at, ""));
      return;
    }
    var subscript = SUBSCRIPT.matcher(field);
    if (subscript.matches()) {
      String key = subscript.group(2);
      Names.qualified(subscript.group(1).endsWith("annotations") ? lower(key) : key)
          .forEach(problem -> errors.add(invalid(at, field, problem)));
    } else if (!KNOWN_FIELDS.contains(field)) {
      errors.add(
          invalid(at, field, "error converting fieldPath: field label not supported: " + field));
    } else if (!allowed.contains(field)) {
      errors.add(notSupported(at, field, allowed));
    }
  }

  private static String lower(String key) {
    return key.toLowerCase(Locale.ROOT);
  }

  private void imports(JsonNode container, FieldPath path) {
    var sources = Trees.objects(container, "envFrom");
    for (int i = 0; i < sources.size(); i++) {
      JsonNode source = sources.get(i);
      FieldPath at = path.index(i);
      String prefix = Trees.text(source, "prefix");
      Names.environmentVariable(prefix)
          .forEach(problem -> errors.add(invalid(at.field("prefix"), prefix, problem)));
      long count =
          List.of("configMapRef", "secretRef").stream()
              .filter(ref -> Trees.has(source, ref))
              .count();
      for (String ref : List.of("configMapRef", "secretRef")) {
        if (Trees.has(source, ref) && Trees.text(source, ref, "name").isEmpty()) {
          errors.add(required(at.field(ref, "name"), ""));
        }
      }
      if (count == 0) {
        errors.add(invalid(at, "", "must specify one of: `configMapRef` or `secretRef`"));
      } else if (count > 1) {
        errors.add(invalid(at, "", "may not have more than one field specified at a time"));
      }
    }
  }
}
