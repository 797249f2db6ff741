package dev.regroup.api.admission.pod;

import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.admission.container.FilePaths;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.tree.Trees;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** Checks of volume sources that speak of somebody's storage; no node of ours provides them. */
final class VendorVolumes {

  /** Fields that must be there, in the order in which they are asked for. */
  private static final Map<String, List<String>> NEEDED =
      Map.ofEntries(
          Map.entry("gitRepo", List.of("repository")),
          Map.entry("gcePersistentDisk", List.of("pdName")),
          Map.entry("awsElasticBlockStore", List.of("volumeID")),
          Map.entry("glusterfs", List.of("endpoints", "path")),
          Map.entry("flexVolume", List.of("driver")),
          Map.entry("cinder", List.of("volumeID")),
          Map.entry("persistentVolumeClaim", List.of("claimName")),
          Map.entry("azureDisk", List.of("diskName", "diskURI")),
          Map.entry("azureFile", List.of("secretName", "shareName")),
          Map.entry("vsphereVolume", List.of("volumePath")),
          Map.entry("photonPersistentDisk", List.of("pdID")),
          Map.entry("portworxVolume", List.of("volumeID")),
          Map.entry("iscsi", List.of("targetPortal", "iqn")),
          Map.entry("rbd", List.of("monitors", "image")),
          Map.entry("cephfs", List.of("monitors")),
          Map.entry("scaleIO", List.of("gateway", "system", "volumeName")),
          Map.entry("storageos", List.of("volumeName")));

  private static final List<String> DISK_KINDS = List.of("Dedicated", "Managed", "Shared");
  private static final List<String> CACHING_MODES = List.of("None", "ReadOnly", "ReadWrite");
  private static final String MANAGED_DISK =
      "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
  private static final String BLOB_DISK =
      "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";
  private static final String HOSTS =
      "must be a host:port pair or multiple pairs separated by commas";
  private static final Pattern HOST_AND_PORT =
      Pattern.compile("([^:\\[\\]]*|\\[[^\\[\\]]*\\]):[^:\\[\\]]*");
  private static final int LONGEST_TENANT = 64;
  private static final Map<String, Pattern> INITIATORS =
      Map.of(
          "iqn", Pattern.compile("iqn\\.\\d{4}-\\d{2}\\.([\\p{Alnum}.-]+)(:[^,;*&$|\\s]+)$"),
          "eui", Pattern.compile("^eui.\\p{Alnum}{16}$"),
          "naa", Pattern.compile("^naa.\\p{Alnum}{32}$"));

  private final List<FieldError> errors;

  VendorVolumes(List<FieldError> errors) {
    this.errors = errors;
  }

  void check(JsonNode source, String kind, FieldPath path) {
    NEEDED.getOrDefault(kind, List.of()).forEach(field -> needs(source, field, path));
    switch (kind) {
      case "gitRepo" -> {
        var at = path.field("directory");
        FilePaths.relative(Trees.text(source, "directory"), at, errors);
      }
      case "gcePersistentDisk", "awsElasticBlockStore" ->
          upTo255(source, "partition", "must be between 1 and 255, inclusive", path);
      case "flexVolume" -> options(source, path);
      case "cinder" -> secret(source, path);
      case "flocker" -> flocker(source, path);
      case "azureDisk" -> azureDisk(source, path);
      case "quobyte" -> quobyte(source, path);
      case "storageos" -> storageOs(source, path);
      case "iscsi" -> iscsi(source, path);
      case "fc" -> fibreChannel(source, path);
      default -> {
        // nothing but what it needs
      }
    }
  }

  private void needs(JsonNode source, String field, FieldPath path) {
    if (Trees.text(source, field).isEmpty() && source.path(field).isEmpty()) {
      errors.add(required(path.field(field), ""));
    }
  }

  private void upTo255(JsonNode source, String field, String problem, FieldPath path) {
    long number = Trees.number(source, field).orElse(0);
    if (number < 0 || number > 255) {
      errors.add(invalid(path.field(field), number, problem));
    }
  }

  private void secret(JsonNode source, FieldPath path) {
    if (Trees.has(source, "secretRef")) {
      needs(source.path("secretRef"), "name", path.field("secretRef"));
    }
  }

  private void options(JsonNode source, FieldPath path) {
    for (String key : Trees.keys(source, "options")) {
      int slash = key.indexOf('/');
      var owner = "." + (slash < 0 ? key : key.substring(0, slash)).toLowerCase(Locale.ROOT);
      if (owner.endsWith(".kubernetes.io") || owner.endsWith(".k8s.io")) {
        errors.add(
            invalid(
                path.field("options").key(key),
                key,
                "kubernetes.io and k8s.io namespaces are reserved"));
      }
    }
  }

  private void flocker(JsonNode source, FieldPath path) {
    String name = Trees.text(source, "datasetName");
    boolean id = !Trees.text(source, "datasetUUID").isEmpty();
    if (name.isEmpty() && !id) {
      errors.add(required(path, "one of datasetName and datasetUUID is required"));
    }
    if (!name.isEmpty() && id) {
      errors.add(
          invalid(
              path, "resource", "datasetName and datasetUUID can not be specified simultaneously"));
    }
    if (name.contains("/")) {
      errors.add(invalid(path.field("datasetName"), name, "must not contain '/'"));
    }
  }

  private void azureDisk(JsonNode source, FieldPath path) {
    oneOf(source, "cachingMode", CACHING_MODES, path);
    oneOf(source, "kind", DISK_KINDS, path);
    String address = Trees.text(source, "diskURI");
    boolean managed = Trees.text(source, "kind").equals("Managed");
    if (Trees.has(source, "kind")
        && !address.startsWith(managed ? "/subscriptions/" : "https://")) {
      errors.add(
          notSupported(
              path.field("diskURI"), address, List.of(managed ? MANAGED_DISK : BLOB_DISK)));
    }
  }

  private void oneOf(JsonNode source, String field, List<String> known, FieldPath path) {
    var value = Trees.textIfPresent(source, field);
    if (value.isPresent() && !known.contains(value.get())) {
      errors.add(notSupported(path.field(field), value.get(), known));
    }
  }

  private void quobyte(JsonNode source, FieldPath path) {
    String registry = Trees.text(source, "registry");
    if (registry.isEmpty()) {
      errors.add(required(path.field("registry"), HOSTS));
    } else if (Trees.text(source, "tenant").length() > LONGEST_TENANT) {
      errors.add(
          required(
              path.field("tenant"), "must be a UUID and may not exceed a length of 64 characters"));
    } else {
      for (String host : registry.split(",", -1)) {
        if (!HOST_AND_PORT.matcher(host).matches()) {
          errors.add(invalid(path.field("registry"), registry, HOSTS));
        }
      }
    }
    needs(source, "volume", path);
  }

  private void storageOs(JsonNode source, FieldPath path) {
    for (String field : List.of("volumeName", "volumeNamespace")) {
      String name = Trees.text(source, field);
      if (!name.isEmpty()) {
        NameRules.label(name)
            .forEach(problem -> errors.add(invalid(path.field(field), name, problem)));
      }
    }
    secret(source, path);
  }

  private void iscsi(JsonNode source, FieldPath path) {
    initiator(source, "iqn", "iqn", path);
    upTo255(source, "lun", "must be between 0 and 255, inclusive", path);
    boolean proves =
        Trees.isTrue(source, "chapAuthDiscovery") || Trees.isTrue(source, "chapAuthSession");
    if (proves && !Trees.has(source, "secretRef")) {
      errors.add(required(path.field("secretRef"), ""));
    }
    initiator(source, "initiatorName", "initiatorname", path);
  }

  private void initiator(JsonNode source, String field, String shown, FieldPath path) {
    String name = Trees.text(source, field);
    if (name.isEmpty()) {
      return;
    }
    var form = INITIATORS.get(name.substring(0, Math.min(3, name.length())));
    if (form == null) {
      errors.add(
          invalid(path.field(shown), name, "must be valid format starting with iqn, eui, or naa"));
    } else if (!form.matcher(name).find()) {
      errors.add(invalid(path.field(shown), name, "must be valid format"));
    }
  }

  private void fibreChannel(JsonNode source, FieldPath path) {
    boolean names = !source.path("targetWWNs").isEmpty();
    boolean ids = !source.path("wwids").isEmpty();
    FieldPath at = path.field("targetWWNs");
    if (!names && !ids) {
      errors.add(required(at, "must specify either targetWWNs or wwids, but not both"));
    }
    if (names && ids) {
      errors.add(
          invalid(
              at,
              source.path("targetWWNs"),
              "targetWWNs and wwids can not be specified simultaneously"));
    }
    if (names && !Trees.has(source, "lun")) {
      errors.add(required(path.field("lun"), "lun is required if targetWWNs is specified"));
    } else if (names) {
      upTo255(source, "lun", "must be between 0 and 255, inclusive", path);
    }
  }
}
