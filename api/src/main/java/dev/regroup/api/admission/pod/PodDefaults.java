package dev.regroup.api.admission.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.container.ContainerResources;
import dev.regroup.api.schema.Quantity;
import dev.regroup.api.tree.Trees;
import java.math.RoundingMode;
import java.util.List;
import java.util.Locale;

/** What decoding fills into a pod spec, in Kubernetes' own values (API-01, API-12). */
public final class PodDefaults {

  private static final List<String> SOURCES_WITH_MODE =
      List.of("secret", "configMap", "downwardAPI", "projected");

  private PodDefaults() {}

  /** Defaults of a pod: those of a template plus requests from limits and host ports. */
  public static void ofPod(ObjectNode spec) {
    for (String list : List.of("containers", "initContainers")) {
      for (ObjectNode container : Trees.objects(spec, list)) {
        requestsFromLimits(container);
        if (Trees.isTrue(spec, "hostNetwork")) {
          hostPorts(container);
        }
      }
    }
    ofTemplate(spec);
    if (Trees.number(spec, "terminationGracePeriodSeconds").orElse(0) < 0) {
      spec.put("terminationGracePeriodSeconds", 1); // what it would be treated as
    }
    Trees.object(spec, "resources").ifPresent(resources -> podRequests(spec, resources));
    Trees.fill(spec, "enableServiceLinks", true);
  }

  /** Defaults of a pod spec wherever it stands. */
  public static void ofTemplate(ObjectNode spec) {
    Trees.fill(spec, "restartPolicy", "Always");
    Trees.fill(spec, "dnsPolicy", "ClusterFirst");
    Trees.fill(spec, "schedulerName", "default-scheduler");
    Trees.fill(spec, "terminationGracePeriodSeconds", 30);
    Trees.child(spec, "securityContext");
    // Two names for one field: the older follows the newer.
    String account = Trees.text(spec, "serviceAccountName");
    String older = Trees.text(spec, "serviceAccount");
    if (account.isEmpty() && !older.isEmpty()) {
      spec.put("serviceAccountName", older);
    } else if (!account.isEmpty()) {
      spec.put("serviceAccount", account);
    }
    for (ObjectNode volume : Trees.objects(spec, "volumes")) {
      volume(volume);
    }
    for (String list : List.of("containers", "initContainers", "ephemeralContainers")) {
      for (ObjectNode container : Trees.objects(spec, list)) {
        container(container);
      }
    }
  }

  private static void container(ObjectNode container) {
    ObjectNode resources = Trees.child(container, "resources");
    for (String list : List.of("limits", "requests")) {
      Trees.object(resources, list).ifPresent(PodDefaults::thousandths);
    }
    Trees.fill(container, "terminationMessagePath", "/dev/termination-log");
    Trees.fill(container, "terminationMessagePolicy", "File");
    Trees.fill(container, "imagePullPolicy", pullPolicy(Trees.text(container, "image")));
    for (ObjectNode port : Trees.objects(container, "ports")) {
      Trees.fill(port, "protocol", "TCP");
    }
    for (ObjectNode variable : Trees.objects(container, "env")) {
      Trees.object(variable, "valueFrom", "fieldRef")
          .ifPresent(ref -> Trees.fill(ref, "apiVersion", "v1"));
      Trees.object(variable, "valueFrom", "resourceFieldRef")
          .ifPresent(ref -> Trees.fill(ref, "divisor", "0"));
      Trees.object(variable, "valueFrom", "fileKeyRef")
          .filter(ref -> !ref.has("optional"))
          .ifPresent(ref -> ref.put("optional", false));
    }
    for (String probe : List.of("livenessProbe", "readinessProbe", "startupProbe")) {
      Trees.object(container, probe).ifPresent(PodDefaults::probe);
    }
    for (String hook : List.of("postStart", "preStop")) {
      Trees.object(container, "lifecycle", hook, "httpGet").ifPresent(PodDefaults::httpGet);
    }
  }

  /** A tag other than {@code latest}, or a digest without a tag, need not be asked for again. */
  private static String pullPolicy(String image) {
    int digest = image.indexOf('@');
    String named = digest < 0 ? image : image.substring(0, digest);
    int first = named.indexOf('/'); // what follows the registry is in lower case
    String path = named.substring(first + 1);
    int tag = path.lastIndexOf(':');
    String repository = tag < 0 ? path : path.substring(0, tag);
    if (!repository.equals(repository.toLowerCase(Locale.ROOT))) {
      return "IfNotPresent"; // no reference, so its tag is not known
    }
    String last = named.substring(named.lastIndexOf('/') + 1);
    int colon = last.indexOf(':');
    if (colon < 0 && digest >= 0) {
      return "IfNotPresent";
    }
    return colon < 0 || last.substring(colon + 1).equals("latest") ? "Always" : "IfNotPresent";
  }

  /** Nothing finer than a thousandth is kept; what is finer counts as one more. */
  private static void thousandths(ObjectNode amounts) {
    for (String name : Trees.keys(amounts)) {
      Quantity.of(Trees.text(amounts, name))
          .filter(quantity -> quantity.amount().stripTrailingZeros().scale() > 3)
          .map(quantity ->
              new Quantity(quantity.amount().setScale(3, RoundingMode.CEILING), quantity.format()))
          .ifPresent(rounded -> amounts.put(name, rounded.toString()));
    }
  }

  private static void probe(ObjectNode probe) {
    fillNumber(probe, "timeoutSeconds", 1);
    fillNumber(probe, "periodSeconds", 10);
    fillNumber(probe, "successThreshold", 1);
    fillNumber(probe, "failureThreshold", 3);
    Trees.object(probe, "httpGet").ifPresent(PodDefaults::httpGet);
    Trees.object(probe, "grpc").ifPresent(grpc -> Trees.fill(grpc, "service", ""));
  }

  private static void fillNumber(ObjectNode node, String field, int value) {
    if (Trees.number(node, field).orElse(0) == 0) {
      node.put(field, value); // 0 and absent are the same here
    }
  }

  private static void httpGet(ObjectNode action) {
    Trees.fill(action, "path", "/");
    Trees.fill(action, "scheme", "HTTP");
  }

  private static void volume(ObjectNode volume) {
    if (Trees.keys(volume).stream().allMatch("name"::equals)) {
      volume.putObject("emptyDir");
    }
    for (String source : SOURCES_WITH_MODE) {
      Trees.object(volume, source).ifPresent(object -> Trees.fill(object, "defaultMode", 420));
    }
    Trees.object(volume, "hostPath").ifPresent(path -> Trees.fill(path, "type", ""));
    Trees.objects(volume, "downwardAPI", "items").forEach(PodDefaults::downwardItem);
    for (ObjectNode source : Trees.objects(volume, "projected", "sources")) {
      Trees.object(source, "serviceAccountToken")
          .ifPresent(token -> Trees.fill(token, "expirationSeconds", 3600));
      Trees.objects(source, "downwardAPI", "items").forEach(PodDefaults::downwardItem);
    }
    Trees.object(volume, "image")
        .ifPresent(
            image -> Trees.fill(image, "pullPolicy", pullPolicy(Trees.text(image, "reference"))));
    Trees.object(volume, "ephemeral", "volumeClaimTemplate", "spec")
        .ifPresent(claim -> Trees.fill(claim, "volumeMode", "Filesystem"));
    oldVolume(volume);
  }

  /** Sources that few have met; what they leave out is as fixed as all else. */
  private static void oldVolume(ObjectNode volume) {
    Trees.object(volume, "iscsi").ifPresent(disk -> Trees.fill(disk, "iscsiInterface", "default"));
    Trees.object(volume, "rbd")
        .ifPresent(disk -> {
          Trees.fill(disk, "pool", "rbd");
          Trees.fill(disk, "user", "admin");
          Trees.fill(disk, "keyring", "/etc/ceph/keyring");
        });
    Trees.object(volume, "scaleIO")
        .ifPresent(disk -> {
          Trees.fill(disk, "storageMode", "ThinProvisioned");
          Trees.fill(disk, "fsType", "xfs");
        });
    Trees.object(volume, "azureDisk")
        .ifPresent(disk -> {
          Trees.fill(disk, "cachingMode", "ReadWrite");
          Trees.fill(disk, "fsType", "ext4");
          Trees.fill(disk, "readOnly", false);
          Trees.fill(disk, "kind", "Shared");
        });
  }

  private static void downwardItem(ObjectNode item) {
    Trees.object(item, "fieldRef").ifPresent(ref -> Trees.fill(ref, "apiVersion", "v1"));
    Trees.object(item, "resourceFieldRef").ifPresent(ref -> Trees.fill(ref, "divisor", "0"));
  }

  private static void requestsFromLimits(ObjectNode container) {
    JsonNode limits = Trees.at(container, "resources", "limits");
    if (limits.isEmpty()) {
      return;
    }
    ObjectNode requests = Trees.child(Trees.child(container, "resources"), "requests");
    for (String resource : Trees.keys(limits)) {
      if (!requests.has(resource)) {
        requests.set(resource, limits.path(resource));
      }
    }
  }

  /** A pod that limits itself asks for what its containers ask for, else for its limits. */
  private static void podRequests(ObjectNode spec, ObjectNode resources) {
    JsonNode limits = resources.path("limits");
    if (limits.isEmpty()) {
      return;
    }
    ObjectNode requests = Trees.child(resources, "requests");
    ContainerResources.requests(spec)
        .forEach((name, amount) -> {
          if (name.equals("cpu") || name.equals("memory")) {
            Trees.fill(requests, name, amount.toString());
          }
        });
    for (String resource : Trees.keys(limits)) {
      if (!requests.has(resource)) {
        requests.set(resource, limits.path(resource));
      }
    }
  }

  private static void hostPorts(ObjectNode container) {
    for (ObjectNode port : Trees.objects(container, "ports")) {
      if (Trees.number(port, "hostPort").orElse(0) == 0 && Trees.has(port, "containerPort")) {
        port.set("hostPort", port.path("containerPort"));
      }
    }
  }
}
