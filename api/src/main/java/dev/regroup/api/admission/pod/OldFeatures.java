package dev.regroup.api.admission.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.tree.Trees;
import java.util.List;

/** Warns of volumes and annotations that Kubernetes knows and does nothing with any more. */
final class OldFeatures {

  /** A volume source, the name the warning calls it by, and what became of it. */
  private record OldVolume(String field, String shown, String fate) {}

  private static final List<OldVolume> VOLUMES =
      List.of(
          new OldVolume(
              "photonPersistentDisk",
              "photonPersistentDisk",
              "deprecated in v1.11, non-functional in v1.16+"),
          new OldVolume(
              "gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"),
          new OldVolume("scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
          new OldVolume("flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"),
          new OldVolume("storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"),
          new OldVolume("quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"),
          new OldVolume("glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
          new OldVolume("cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"),
          new OldVolume("rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"));

  private static final String CRITICAL = "scheduler.alpha.kubernetes.io/critical-pod";
  private static final String SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod";
  private static final String SECCOMP_CONTAINER = "container.seccomp.security.alpha.kubernetes.io/";
  private static final String SECCOMP_FATE =
      "non-functional in v1.27+; use the \"seccompProfile\" field instead";
  private static final String APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/";
  private static final String APP_ARMOR_FATE =
      "deprecated since v1.30; use the \"appArmorProfile\" field instead";

  private final JsonNode owner;
  private final FieldPath root;
  private final List<String> warnings;

  /**
   * @param owner a pod or a template
   * @param root where it stands
   */
  OldFeatures(JsonNode owner, FieldPath root, List<String> warnings) {
    this.owner = owner;
    this.root = root;
    this.warnings = warnings;
  }

  void add() {
    annotation(CRITICAL, "non-functional in v1.16+; use the \"priorityClassName\" field instead");
    volumes();
    if (!Trees.has(owner, "spec", "securityContext", "seccompProfile")) {
      annotation(SECCOMP_POD, SECCOMP_FATE);
    }
    for (String list : List.of("initContainers", "containers", "ephemeralContainers")) {
      for (ObjectNode container : Trees.objects(owner, "spec", list)) {
        if (!Trees.has(container, "securityContext", "seccompProfile")) {
          annotation(SECCOMP_CONTAINER + Trees.text(container, "name"), SECCOMP_FATE);
        }
        appArmor(container);
      }
    }
  }

  /** Nothing is said of one that only repeats the profile of the pod. */
  private void appArmor(ObjectNode container) {
    String key = APP_ARMOR + Trees.text(container, "name");
    if (Trees.has(container, "securityContext", "appArmorProfile")) {
      return;
    }
    JsonNode ofPod = owner.path("spec").path("securityContext").path("appArmorProfile");
    String type = Trees.text(ofPod, "type");
    String repeated =
        switch (type) {
          case "RuntimeDefault" -> "runtime/default";
          case "Unconfined" -> "unconfined";
          default -> "localhost/" + Trees.text(ofPod, "localhostProfile");
        };
    if (type.isEmpty() || !Trees.text(owner, "metadata", "annotations", key).equals(repeated)) {
      annotation(key, APP_ARMOR_FATE);
    }
  }

  private void annotation(String key, String fate) {
    if (Trees.has(owner, "metadata", "annotations", key)) {
      warnings.add(root.field("metadata", "annotations").key(key) + ": " + fate);
    }
  }

  private void volumes() {
    var volumes = Trees.objects(owner, "spec", "volumes");
    for (int i = 0; i < volumes.size(); i++) {
      for (OldVolume old : VOLUMES) {
        if (volumes.get(i).has(old.field())) {
          warnings.add(
              root.field("spec", "volumes").index(i).field(old.shown()) + ": " + old.fate());
        }
      }
    }
  }
}
