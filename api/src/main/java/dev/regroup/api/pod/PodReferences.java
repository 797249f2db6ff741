package dev.regroup.api.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.tree.Trees;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What a pod's node must be able to read for it, as {@code resource name}. Pure. */
public final class PodReferences {
  /** Marks a pod that its node has from elsewhere, and only tells of. */
  public static final String MIRROR = "kubernetes.io/config.mirror";

  private static final List<String> CONTAINERS =
      List.of("initContainers", "containers", "ephemeralContainers");

  /** Sources of volumes that are other objects. */
  private static final Map<String, String> OTHERS =
      Map.of(
          "configMap", "configmaps (via configmap volumes)",
          "secret", "secrets (via secret volumes)",
          "csi", "csidrivers (via CSI volumes)",
          "glusterfs", "endpoints (via glusterFS volumes)",
          "persistentVolumeClaim", "persistentvolumeclaims",
          "ephemeral", "persistentvolumeclaims (via ephemeral volumes)",
          "azureFile", "secrets (via azureFile volumes)");

  private static final Map<String, String> PROJECTED =
      Map.of(
          "configMap", "configmaps (via projected volumes)",
          "secret", "secrets (via projected volumes)",
          "serviceAccountToken", "serviceaccounts (via projected volumes)",
          "clusterTrustBundle", "clustertrustbundles",
          "podCertificate", "podcertificates");

  private final Set<String> found = new LinkedHashSet<>();

  private PodReferences() {}

  public static Set<String> of(JsonNode pod) {
    var references = new PodReferences();
    var spec = pod.path("spec");
    references.add("serviceaccounts", Trees.text(spec, "serviceAccountName"));
    Trees.objects(spec, "imagePullSecrets")
        .forEach(one -> references.add("secrets", Trees.text(one, "name")));
    for (var list : CONTAINERS) {
      Trees.objects(spec, list).forEach(references::container);
    }
    for (var volume : Trees.objects(spec, "volumes")) {
      references.volume(volume, Trees.text(pod, "metadata", "name"));
    }
    return Set.copyOf(references.found);
  }

  public static boolean isMirror(JsonNode pod) {
    return Trees.has(pod, "metadata", "annotations", MIRROR);
  }

  /** The first kind of other objects that a pod uses, as Kubernetes names it. */
  public static Optional<String> kind(JsonNode pod) {
    var references = of(pod);
    for (var resource : List.of("serviceaccounts", "secrets", "configmaps")) {
      if (references.stream().anyMatch(one -> one.startsWith(resource + " "))) {
        return Optional.of(resource);
      }
    }
    if (!pod.path("spec").path("resourceClaims").isEmpty()) {
      return Optional.of("resourceclaims");
    }
    return Trees.objects(pod.path("spec"), "volumes").stream()
        .flatMap(volume -> kindOfVolume(volume).stream())
        .findFirst();
  }

  private static Optional<String> kindOfVolume(JsonNode volume) {
    for (var source : OTHERS.entrySet()) {
      if (volume.hasNonNull(source.getKey())) {
        return Optional.of(source.getValue());
      }
    }
    for (var part : Trees.objects(volume, "projected", "sources")) {
      for (var source : PROJECTED.entrySet()) {
        if (part.hasNonNull(source.getKey())) {
          return Optional.of(source.getValue());
        }
      }
    }
    return Optional.empty();
  }

  private void container(JsonNode container) {
    for (var from : Trees.objects(container, "envFrom")) {
      add("secrets", Trees.text(from, "secretRef", "name"));
      add("configmaps", Trees.text(from, "configMapRef", "name"));
    }
    for (var variable : Trees.objects(container, "env")) {
      add("secrets", Trees.text(variable, "valueFrom", "secretKeyRef", "name"));
      add("configmaps", Trees.text(variable, "valueFrom", "configMapKeyRef", "name"));
    }
  }

  private void volume(JsonNode volume, String pod) {
    add("secrets", Trees.text(volume, "secret", "secretName"));
    add("secrets", Trees.text(volume, "csi", "nodePublishSecretRef", "name"));
    add("configmaps", Trees.text(volume, "configMap", "name"));
    add("persistentvolumeclaims", Trees.text(volume, "persistentVolumeClaim", "claimName"));
    if (volume.hasNonNull("ephemeral")) {
      add("persistentvolumeclaims", pod + "-" + Trees.text(volume, "name"));
    }
    for (var part : Trees.objects(volume, "projected", "sources")) {
      add("secrets", Trees.text(part, "secret", "name"));
      add("configmaps", Trees.text(part, "configMap", "name"));
    }
  }

  private void add(String resource, String name) {
    if (!name.isEmpty()) {
      found.add(resource + " " + name);
    }
  }
}
