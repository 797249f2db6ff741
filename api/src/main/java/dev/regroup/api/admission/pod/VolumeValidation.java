package dev.regroup.api.admission.pod;

import static dev.regroup.api.admission.FieldError.duplicate;
import static dev.regroup.api.admission.FieldError.forbidden;
import static dev.regroup.api.admission.FieldError.invalid;
import static dev.regroup.api.admission.FieldError.notFound;
import static dev.regroup.api.admission.FieldError.notSupported;
import static dev.regroup.api.admission.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.admission.FieldError;
import dev.regroup.api.admission.FieldPath;
import dev.regroup.api.admission.Names;
import dev.regroup.api.admission.Trees;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Checks of a pod's volumes and of the places where containers mount them. */
final class VolumeValidation {

  /** In the order in which Kubernetes looks at them: the first found is the volume's kind. */
  private static final List<String> SOURCES =
      List.of(
          "emptyDir",
          "hostPath",
          "gitRepo",
          "gcePersistentDisk",
          "awsElasticBlockStore",
          "secret",
          "nfs",
          "iscsi",
          "glusterfs",
          "flexVolume",
          "configMap",
          "cinder",
          "cephfs",
          "flocker",
          "rbd",
          "downwardAPI",
          "fc",
          "persistentVolumeClaim",
          "azureFile",
          "vsphereVolume",
          "photonPersistentDisk",
          "portworxVolume",
          "azureDisk",
          "storageos",
          "projected",
          "scaleIO",
          "csi",
          "ephemeral",
          "image");

  private static final List<String> HOST_PATH_TYPES =
      List.of(
          "",
          "BlockDevice",
          "CharDevice",
          "Directory",
          "DirectoryOrCreate",
          "File",
          "FileOrCreate",
          "Socket");

  private final List<FieldError> errors;

  VolumeValidation(List<FieldError> errors) {
    this.errors = errors;
  }

  /** Returns the names containers may mount: volumes with errors of their own do not count. */
  Set<String> volumes(JsonNode spec, FieldPath specPath) {
    var names = new HashSet<String>();
    FieldPath path = specPath.field("volumes");
    var volumes = Trees.objects(spec, "volumes");
    for (int i = 0; i < volumes.size(); i++) {
      var own = new ArrayList<FieldError>();
      JsonNode volume = volumes.get(i);
      FieldPath at = path.index(i);
      source(volume, at, own);
      String name = Trees.text(volume, "name");
      if (name.isEmpty()) {
        own.add(required(at.field("name"), ""));
      } else {
        Names.label(name).forEach(problem -> own.add(invalid(at.field("name"), name, problem)));
      }
      if (names.contains(name)) {
        own.add(duplicate(at.field("name"), name));
      }
      if (own.isEmpty()) {
        names.add(name);
      }
      errors.addAll(own);
    }
    return names;
  }

  private static void source(JsonNode volume, FieldPath path, List<FieldError> own) {
    int found = 0;
    for (String source : SOURCES) {
      if (!Trees.has(volume, source)) {
        continue;
      }
      found++;
      FieldPath at = path.field(source);
      if (found > 1) {
        own.add(forbidden(at, "may not specify more than 1 volume type"));
        continue;
      }
      details(volume.path(source), source, at, own);
    }
    if (found == 0) {
      own.add(required(path, "must specify a volume type"));
    }
  }

  private static void details(JsonNode source, String kind, FieldPath path, List<FieldError> own) {
    switch (kind) {
      case "hostPath" -> {
        String host = Trees.text(source, "path");
        if (host.isEmpty()) {
          own.add(required(path.field("path"), ""));
        } else if (List.of(host.split("/", -1)).contains("..")) {
          own.add(invalid(path.field("path"), host, "must not contain '..'"));
        }
        String type = Trees.text(source, "type");
        if (!HOST_PATH_TYPES.contains(type)) {
          own.add(notSupported(path.field("type"), type, HOST_PATH_TYPES));
        }
      }
      case "secret" -> needs(source, "secretName", path, own);
      case "configMap" -> needs(source, "name", path, own);
      case "persistentVolumeClaim" -> needs(source, "claimName", path, own);
      case "emptyDir" -> {
        String medium = Trees.text(source, "medium");
        boolean known =
            medium.isEmpty() || medium.equals("Memory") || medium.startsWith("HugePages");
        if (!known) {
          own.add(notSupported(path.field("medium"), medium, List.of("", "Memory")));
        }
        if (Trees.text(source, "sizeLimit").startsWith("-")) {
          own.add(
              forbidden(
                  path.field("sizeLimit"), "SizeLimit field must be a valid resource quantity"));
        }
      }
      case "downwardAPI" -> downward(source, path, own);
      case "projected" -> {
        var sources = Trees.objects(source, "sources");
        for (int i = 0; i < sources.size(); i++) {
          FieldPath at = path.field("sources").index(i);
          if (Trees.has(sources.get(i), "downwardAPI")) {
            downward(sources.get(i).path("downwardAPI"), at.field("downwardAPI"), own);
          }
        }
      }
      default -> {} // kinds that Regroup's node does not mount keep their own checks elsewhere
    }
    files(source, path, own);
  }

  private static void needs(JsonNode source, String field, FieldPath path, List<FieldError> own) {
    if (Trees.text(source, field).isEmpty()) {
      own.add(required(path.field(field), ""));
    }
  }

  private static void downward(JsonNode source, FieldPath path, List<FieldError> own) {
    var items = Trees.objects(source, "items");
    for (int i = 0; i < items.size(); i++) {
      FieldPath at = path.field("items").index(i);
      JsonNode item = items.get(i);
      if (Trees.text(item, "path").isEmpty()) {
        own.add(required(at.field("path"), ""));
      } else {
        relative(Trees.text(item, "path"), at.field("path"), own);
      }
      if (Trees.has(item, "fieldRef")) {
        new EnvironmentValidation(own)
            .field(item.path("fieldRef"), EnvironmentValidation.FILE_FIELDS, at.field("fieldRef"));
      } else if (!Trees.has(item, "resourceFieldRef")) {
        own.add(required(at.field("fieldRef"), "one of fieldRef and resourceFieldRef is required"));
      }
    }
  }

  /** Key to path items and file modes of secrets and config maps. */
  private static void files(JsonNode source, FieldPath path, List<FieldError> own) {
    var mode = Trees.number(source, "defaultMode");
    if (mode.isPresent() && (mode.getAsLong() < 0 || mode.getAsLong() > 0777)) {
      own.add(
          invalid(
              path.field("defaultMode"),
              mode.getAsLong(),
              "must be a number between 0 and 0777 (octal), both inclusive"));
    }
    var items = Trees.objects(source, "items");
    for (int i = 0; i < items.size(); i++) {
      JsonNode item = items.get(i);
      if (!Trees.has(item, "key") && !path.toString().endsWith("configMap")) {
        continue;
      }
      FieldPath at = path.field("items").index(i);
      if (Trees.text(item, "key").isEmpty()) {
        own.add(required(at.field("key"), ""));
      }
      if (Trees.text(item, "path").isEmpty()) {
        own.add(required(at.field("path"), ""));
      } else {
        relative(Trees.text(item, "path"), at.field("path"), own);
      }
    }
  }

  private static void relative(String file, FieldPath path, List<FieldError> own) {
    if (file.startsWith("/")) {
      own.add(invalid(path, file, "must be a relative path"));
    }
    if (List.of(file.split("/", -1)).contains("..")) {
      own.add(invalid(path, file, "must not contain '..'"));
    }
  }

  /** Mounts of one container. */
  void mounts(JsonNode container, Set<String> volumes, FieldPath containerPath) {
    FieldPath path = containerPath.field("volumeMounts");
    var places = new HashSet<String>();
    var mounts = Trees.objects(container, "volumeMounts");
    for (int i = 0; i < mounts.size(); i++) {
      JsonNode mount = mounts.get(i);
      FieldPath at = path.index(i);
      String name = Trees.text(mount, "name");
      String place = Trees.text(mount, "mountPath");
      if (name.isEmpty()) {
        errors.add(required(at.field("name"), ""));
      }
      if (!volumes.contains(name)) {
        errors.add(notFound(at.field("name"), name));
      }
      if (place.isEmpty()) {
        errors.add(required(at.field("mountPath"), ""));
      }
      if (!places.add(place)) {
        errors.add(invalid(at.field("mountPath"), place, "must be unique"));
      }
      for (String field : List.of("subPath", "subPathExpr")) {
        String sub = Trees.text(mount, field);
        if (!sub.isEmpty()) {
          relative(sub, at.field(field), errors);
        }
      }
      if (!Trees.text(mount, "subPath").isEmpty() && !Trees.text(mount, "subPathExpr").isEmpty()) {
        errors.add(
            invalid(
                at.field("subPathExpr"),
                Trees.text(mount, "subPathExpr"),
                "subPathExpr and subPath are mutually exclusive"));
      }
      String propagation = Trees.text(mount, "mountPropagation");
      var known = List.of("Bidirectional", "HostToContainer", "None");
      if (!propagation.isEmpty() && !known.contains(propagation)) {
        errors.add(notSupported(at.field("mountPropagation"), propagation, known));
      }
    }
  }
}
