package dev.regroup.server.nodes;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.tree.Trees;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What a pod's node must be able to read for it, as {@code resource name}. Pure. */
final class PodReferences {
  private static final List<String> CONTAINERS =
      List.of("initContainers", "containers", "ephemeralContainers");

  private final Set<String> found = new LinkedHashSet<>();

  private PodReferences() {}

  static Set<String> of(JsonNode pod) {
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
