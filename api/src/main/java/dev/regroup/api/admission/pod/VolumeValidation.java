package dev.regroup.api.admission.pod;

import static dev.regroup.api.admission.field.FieldError.duplicate;
import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Checks of a pod's volumes: their names, and that each has one source. */
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
          "quobyte",
          "portworxVolume",
          "azureDisk",
          "storageos",
          "projected",
          "scaleIO",
          "csi",
          "ephemeral",
          "image");

  private final Optional<String> podName;
  private final List<FieldError> errors;

  VolumeValidation(Optional<String> podName, List<FieldError> errors) {
    this.podName = podName;
    this.errors = errors;
  }

  /** Returns what containers may mount: volumes with errors of their own do not count. */
  Map<String, ObjectNode> volumes(JsonNode spec, FieldPath specPath) {
    var found = new HashMap<String, ObjectNode>();
    FieldPath path = specPath.field("volumes");
    var volumes = Trees.objects(spec, "volumes");
    Set<String> made = claimsMade(volumes);
    for (int i = 0; i < volumes.size(); i++) {
      var own = new ArrayList<FieldError>();
      ObjectNode volume = volumes.get(i);
      FieldPath at = path.index(i);
      source(volume, at, own);
      String name = Trees.text(volume, "name");
      if (name.isEmpty()) {
        own.add(required(at.field("name"), ""));
      } else {
        NameRules.label(name).forEach(problem -> own.add(invalid(at.field("name"), name, problem)));
      }
      if (found.containsKey(name)) {
        own.add(duplicate(at.field("name"), name));
      }
      if (own.isEmpty()) {
        found.put(name, volume);
      }
      errors.addAll(own);
      String claim = Trees.text(volume, "persistentVolumeClaim", "claimName");
      if (made.contains(claim)) {
        errors.add(
            invalid(
                at.field("persistentVolumeClaim", "claimName"),
                claim,
                "must not reference a PVC that gets created for an ephemeral volume"));
      }
    }
    return found;
  }

  private Set<String> claimsMade(List<ObjectNode> volumes) {
    return volumes.stream()
        .filter(volume -> Trees.has(volume, "ephemeral"))
        .flatMap(volume -> podName.stream().map(pod -> pod + "-" + Trees.text(volume, "name")))
        .collect(Collectors.toSet());
  }

  private void source(ObjectNode volume, FieldPath path, List<FieldError> own) {
    int found = 0;
    for (String source : SOURCES) {
      if (!Trees.has(volume, source)) {
        continue;
      }
      found++;
      // The disk of one cloud is called by its first name.
      FieldPath at = path.field(source.equals("gcePersistentDisk") ? "persistentDisk" : source);
      if (found > 1) {
        own.add(forbidden(path.field(source), "may not specify more than 1 volume type"));
        continue;
      }
      new VolumeSources(podName.isPresent(), own).check(volume.path(source), source, at);
      if (source.equals("ephemeral")) {
        claimName(Trees.text(volume, "name"), path, own);
      }
    }
    if (found == 0) {
      own.add(required(path, "must specify a volume type"));
    }
  }

  /** The claim of an ephemeral volume is named after pod and volume. */
  private void claimName(String volume, FieldPath path, List<FieldError> own) {
    if (podName.isEmpty() || volume.isEmpty()) {
      return;
    }
    String claim = podName.get() + "-" + volume;
    for (String problem : NameRules.subdomain(claim)) {
      own.add(invalid(path.field("name"), volume, "PVC name \"%s\": %s".formatted(claim, problem)));
    }
  }
}
