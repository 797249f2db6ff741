package dev.regroup.api.admission.pod;

import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.admission.container.FieldReferences;
import dev.regroup.api.admission.container.FilePaths;
import dev.regroup.api.admission.field.ClaimSpecs;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.Metadata;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.tree.Trees;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Checks of one volume source. */
final class VolumeSources {

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
  private static final List<String> PULL_POLICIES = List.of("Always", "IfNotPresent", "Never");
  private static final int MAX_DRIVER = 63;
  private static final long MIN_TOKEN_SECONDS = 600;
  private static final long MAX_TOKEN_SECONDS = 1L << 32;

  private final boolean ofPod;
  private final List<FieldError> errors;

  VolumeSources(boolean ofPod, List<FieldError> errors) {
    this.ofPod = ofPod;
    this.errors = errors;
  }

  void check(JsonNode source, String kind, FieldPath path) {
    switch (kind) {
      case "emptyDir" -> emptyDir(source, path);
      case "hostPath" -> hostPath(source, path);
      case "nfs" -> nfs(source, path);
      case "secret" -> {
        needs(source, "secretName", path);
        mode(source, "defaultMode", path);
        items(source, path);
      }
      case "configMap" -> {
        needs(source, "name", path);
        mode(source, "defaultMode", path);
        items(source, path);
      }
      case "downwardAPI" -> {
        mode(source, "defaultMode", path);
        Trees.objects(source, "items").forEach(item -> downward(item, path));
      }
      case "projected" -> {
        mode(source, "defaultMode", path);
        projected(source, path);
      }
      case "csi" -> csi(source, path);
      case "ephemeral" -> ephemeral(source, path);
      case "image" -> image(source, path);
      default -> new VendorVolumes(errors).check(source, kind, path);
    }
  }

  private void needs(JsonNode source, String field, FieldPath path) {
    if (Trees.text(source, field).isEmpty() && source.path(field).isEmpty()) {
      errors.add(required(path.field(field), ""));
    }
  }

  private void emptyDir(JsonNode source, FieldPath path) {
    if (Trees.text(source, "sizeLimit").startsWith("-")) {
      errors.add(
          forbidden(path.field("sizeLimit"), "SizeLimit field must be a valid resource quantity"));
    }
  }

  private void hostPath(JsonNode source, FieldPath path) {
    String host = Trees.text(source, "path");
    if (host.isEmpty()) {
      errors.add(required(path.field("path"), ""));
      return;
    }
    FilePaths.noBacksteps(host, path.field("path"), errors);
    String type = Trees.text(source, "type");
    if (!HOST_PATH_TYPES.contains(type)) {
      errors.add(notSupported(path.field("type"), type, HOST_PATH_TYPES));
    }
  }

  private void nfs(JsonNode source, FieldPath path) {
    needs(source, "server", path);
    needs(source, "path", path);
    String exported = Trees.text(source, "path");
    if (!exported.startsWith("/")) {
      errors.add(invalid(path.field("path"), exported, "must be an absolute path"));
    }
  }

  private void mode(JsonNode source, String field, FieldPath path) {
    var mode = Trees.number(source, field);
    if (mode.isPresent() && (mode.getAsLong() < 0 || mode.getAsLong() > 0777)) {
      errors.add(
          invalid(
              path.field(field),
              mode.getAsLong(),
              "must be a number between 0 and 0777 (octal), both inclusive"));
    }
  }

  /** Keys of a secret or config map and the files they become. */
  private void items(JsonNode source, FieldPath path) {
    var items = Trees.objects(source, "items");
    for (int i = 0; i < items.size(); i++) {
      FieldPath at = path.field("items").index(i);
      needs(items.get(i), "key", at);
      needs(items.get(i), "path", at);
      FilePaths.inVolume(Trees.text(items.get(i), "path"), at.field("path"), errors);
      mode(items.get(i), "mode", at);
    }
  }

  /** Kubernetes names the list here, not the item. */
  private void downward(JsonNode item, FieldPath path) {
    needs(item, "path", path);
    FilePaths.inVolume(Trees.text(item, "path"), path.field("path"), errors);
    var references = new FieldReferences(errors);
    boolean field = Trees.has(item, "fieldRef");
    boolean resource = Trees.has(item, "resourceFieldRef");
    if (field) {
      references.field(item.path("fieldRef"), FieldReferences.Place.FILE, path.field("fieldRef"));
    } else if (resource) {
      references.resource(
          item.path("resourceFieldRef"),
          FieldReferences.Place.FILE,
          path.field("resourceFieldRef"));
    } else {
      errors.add(required(path, "one of fieldRef and resourceFieldRef is required"));
    }
    if (field && resource) {
      errors.add(
          invalid(
              path,
              "resource",
              "fieldRef and resourceFieldRef can not be specified simultaneously"));
    }
    mode(item, "mode", path);
  }

  private void projected(JsonNode projection, FieldPath path) {
    var files = new HashSet<String>();
    var sources = Trees.objects(projection, "sources");
    for (int i = 0; i < sources.size(); i++) {
      JsonNode source = sources.get(i);
      FieldPath at = path.field("sources").index(i);
      int kinds = 0;
      for (String kind : List.of("secret", "configMap")) {
        if (Trees.has(source, kind)) {
          kinds++;
          needs(source.path(kind), "name", at.field(kind));
          items(source.path(kind), at.field(kind));
          String name = Trees.text(source, kind, "name");
          for (JsonNode item : Trees.objects(source, kind, "items")) {
            unique(Trees.text(item, "path"), name, files, path);
          }
        }
      }
      if (Trees.has(source, "downwardAPI")) {
        kinds++;
        for (JsonNode item : Trees.objects(source, "downwardAPI", "items")) {
          downward(item, at.field("downwardAPI"));
          unique(Trees.text(item, "path"), Trees.text(item, "path"), files, path);
        }
      }
      if (Trees.has(source, "serviceAccountToken")) {
        kinds++;
        token(source.path("serviceAccountToken"), at.field("serviceAccountToken"), path);
      }
      if (kinds > 1) {
        errors.add(forbidden(at, "may not specify more than 1 volume type per source"));
      }
    }
  }

  private void unique(String file, String value, Set<String> files, FieldPath path) {
    if (!file.isEmpty() && !files.add(file)) {
      errors.add(invalid(path, value, "conflicting duplicate paths"));
    }
  }

  private void token(JsonNode token, FieldPath path, FieldPath volume) {
    long seconds = Trees.number(token, "expirationSeconds").orElse(0);
    FieldPath at = path.field("expirationSeconds");
    if (seconds < MIN_TOKEN_SECONDS) {
      errors.add(invalid(at, seconds, "may not specify a duration less than 10 minutes"));
    }
    if (seconds > MAX_TOKEN_SECONDS) {
      errors.add(invalid(at, seconds, "may not specify a duration larger than 2^32 seconds"));
    }
    // The path of the file is reported at the volume, not at the token.
    needs(token, "path", volume);
    FilePaths.inVolume(Trees.text(token, "path"), volume.field("path"), errors);
  }

  private void csi(JsonNode source, FieldPath path) {
    String driver = Trees.text(source, "driver");
    if (driver.isEmpty()) {
      errors.add(required(path.field("driver"), ""));
    } else {
      if (driver.length() > MAX_DRIVER) {
        errors.add(FieldError.tooLong(path.field("driver"), MAX_DRIVER));
      }
      NameRules.subdomain(driver.toLowerCase(Locale.ROOT))
          .forEach(problem -> errors.add(invalid(path.field("driver"), driver, problem)));
    }
    if (Trees.has(source, "nodePublishSecretRef")) {
      needs(source.path("nodePublishSecretRef"), "name", path.field("nodePublishSecretRef"));
    }
  }

  private void ephemeral(JsonNode source, FieldPath path) {
    FieldPath at = path.field("volumeClaimTemplate");
    if (!Trees.has(source, "volumeClaimTemplate")) {
      errors.add(required(at, ""));
      return;
    }
    JsonNode metadata = Trees.at(source, "volumeClaimTemplate", "metadata");
    FieldPath metadataPath = at.field("metadata");
    errors.addAll(
        Metadata.annotations(metadataPath.field("annotations"), metadata.path("annotations")));
    errors.addAll(Metadata.labels(metadataPath.field("labels"), metadata.path("labels")));
    for (String field : Trees.keys(metadata)) {
      if (!field.equals("annotations") && !field.equals("labels") && Trees.has(metadata, field)) {
        errors.add(forbidden(metadataPath.field(field), "cannot be set"));
      }
    }
    JsonNode claim = Trees.at(source, "volumeClaimTemplate", "spec");
    errors.addAll(ClaimSpecs.check(claim, at.field("spec")));
  }

  private void image(JsonNode source, FieldPath path) {
    if (ofPod) {
      needs(source, "reference", path);
    }
    String policy = Trees.text(source, "pullPolicy");
    if (policy.isEmpty()) {
      errors.add(required(path.field("pullPolicy"), ""));
    } else if (!PULL_POLICIES.contains(policy)) {
      errors.add(notSupported(path.field("pullPolicy"), policy, PULL_POLICIES));
    }
  }
}
