package dev.regroup.api.admission.container;

import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notFound;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.tree.Trees;
import java.util.List;

/** Checks of {@code env} and {@code envFrom}. */
public final class EnvironmentValidation {

  private static final List<String> SOURCES =
      List.of("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef");
  private final FieldReferences references;
  private final List<FieldError> errors;

  public EnvironmentValidation(List<FieldError> errors) {
    this.references = new FieldReferences(errors);
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
      variableName(name, at.field("name"));
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
      references.field(
          from.path("fieldRef"), FieldReferences.Place.VARIABLE, path.field("fieldRef"));
    }
    if (Trees.has(from, "resourceFieldRef")) {
      references.resource(
          from.path("resourceFieldRef"),
          FieldReferences.Place.VARIABLE,
          path.field("resourceFieldRef"));
    }
    for (String ref : List.of("configMapKeyRef", "secretKeyRef")) {
      if (Trees.has(from, ref)) {
        key(from.path(ref), path.field(ref));
      }
    }
    if (Trees.has(from, "fileKeyRef")) {
      fileKey(from.path("fileKeyRef"), path.field("fileKeyRef"));
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

  private void variableName(String name, FieldPath path) {
    NameRules.environmentVariable(name)
        .forEach(problem -> errors.add(invalid(path, name, problem)));
  }

  private void key(JsonNode ref, FieldPath path) {
    String name = Trees.text(ref, "name");
    NameRules.subdomain(name)
        .forEach(problem -> errors.add(invalid(path.field("name"), name, problem)));
    String key = Trees.text(ref, "key");
    if (key.isEmpty()) {
      errors.add(required(path.field("key"), ""));
      return;
    }
    NameRules.configKey(key)
        .forEach(problem -> errors.add(invalid(path.field("key"), key, problem)));
  }

  /** A variable read from a file that another container of the pod wrote. */
  private void fileKey(JsonNode ref, FieldPath path) {
    for (String field : List.of("key", "volumeName", "path")) {
      String value = Trees.text(ref, field);
      FieldPath at = path.field(field);
      if (value.isEmpty()) {
        errors.add(required(at, ""));
        continue;
      }
      switch (field) {
        case "key" -> variableName(value, at);
        case "volumeName" ->
            NameRules.label(value).forEach(problem -> errors.add(invalid(at, value, problem)));
        default -> FilePaths.noBacksteps(value, at, errors);
      }
    }
  }

  /** The volume of such a file must be one that lives as long as the pod. */
  public void fileVolumes(JsonNode spec, FieldPath specPath) {
    for (String list : List.of("initContainers", "containers", "ephemeralContainers")) {
      var containers = Trees.objects(spec, list);
      for (int i = 0; i < containers.size(); i++) {
        var variables = Trees.objects(containers.get(i), "env");
        for (int j = 0; j < variables.size(); j++) {
          FieldPath path = specPath.field(list).index(i).field("env").index(j);
          fileVolume(spec, Trees.at(variables.get(j), "valueFrom", "fileKeyRef"), path);
        }
      }
    }
  }

  private void fileVolume(JsonNode spec, JsonNode ref, FieldPath path) {
    if (!ref.isObject()) {
      return;
    }
    FieldPath at = path.field("valueFrom", "fileKeyRef", "volumeName");
    String name = Trees.text(ref, "volumeName");
    var volume =
        Trees.objects(spec, "volumes").stream()
            .filter(v -> Trees.text(v, "name").equals(name))
            .findFirst();
    if (volume.isEmpty()) {
      errors.add(notFound(at, name));
    } else if (!Trees.has(volume.get(), "emptyDir")) {
      errors.add(invalid(at, name, "referenced volume must be of type emptyDir"));
    }
  }

  private void imports(JsonNode container, FieldPath path) {
    var sources = Trees.objects(container, "envFrom");
    for (int i = 0; i < sources.size(); i++) {
      JsonNode source = sources.get(i);
      FieldPath at = path.index(i);
      variableName(Trees.text(source, "prefix"), at.field("prefix"));
      int count = 0;
      for (String ref : List.of("configMapRef", "secretRef")) {
        if (!Trees.has(source, ref)) {
          continue;
        }
        count++;
        String name = Trees.text(source, ref, "name");
        if (name.isEmpty()) {
          errors.add(required(at.field(ref, "name"), ""));
          continue;
        }
        FieldPath nameAt = at.field(ref, "name");
        NameRules.subdomain(name).forEach(problem -> errors.add(invalid(nameAt, name, problem)));
      }
      if (count == 0) {
        errors.add(invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"));
      } else if (count > 1) {
        errors.add(invalid(path, "", "may not have more than one field specified at a time"));
      }
    }
  }
}
