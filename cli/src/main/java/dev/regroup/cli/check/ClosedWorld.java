package dev.regroup.cli.check;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A run is a closed world: beside the files there is only what every new cluster has. What a pod
 * refers to and neither holds would keep it waiting for ever, so it is an error. Optional
 * references may lead nowhere.
 */
public final class ClosedWorld {

  private static final Set<String> NAMESPACES =
      Set.of("default", "kube-system", "kube-public", "kube-node-lease");
  private static final Set<String> PRIORITY_CLASSES =
      Set.of("system-cluster-critical", "system-node-critical");
  private static final String DEFAULT = "default";

  private final Map<String, ObjectNode> objects = new HashMap<>(); // by kind, namespace, name
  private final Map<String, Set<String>> names = new HashMap<>(); // by kind and namespace

  /** A world of these objects. */
  public ClosedWorld(Collection<ObjectNode> objects) {
    for (ObjectNode object : objects) {
      String kind = Trees.text(object, "kind");
      String place = kind + "/" + (isClusterWide(kind) ? "" : namespace(object));
      String name = Trees.text(object, "metadata", "name");
      this.objects.put(place + "/" + name, object);
      names.computeIfAbsent(place, _ -> new TreeSet<>()).add(name);
    }
    NAMESPACES.forEach(name -> add("Namespace", name));
    PRIORITY_CLASSES.forEach(name -> add("PriorityClass", name));
  }

  private void add(String kind, String name) {
    names.computeIfAbsent(kind + "/", _ -> new TreeSet<>()).add(name);
  }

  /** What this object refers to and nobody has. */
  public List<Finding> missing(ObjectNode object) {
    var findings = new ArrayList<Finding>();
    String kind = Trees.text(object, "kind");
    if (!isClusterWide(kind)) {
      require("Namespace", "", namespace(object), "metadata.namespace", findings);
    }
    boolean makesClaims = Trees.has(Trees.at(object, "spec"), "volumeClaimPolicies");
    for (var pod : WrittenPods.of(object)) {
      var look = new Look(namespace(object), makesClaims, findings);
      look.pod(pod.spec(), pod.field());
    }
    return findings;
  }

  private static String namespace(ObjectNode object) {
    String namespace = Trees.text(object, "metadata", "namespace");
    return namespace.isEmpty() ? DEFAULT : namespace;
  }

  private static boolean isClusterWide(String kind) {
    return switch (kind) {
      case "Namespace", "PriorityClass", "Node", "CustomResourceDefinition" -> true;
      default -> false;
    };
  }

  private boolean require(
      String kind, String namespace, String name, String field, List<Finding> findings) {
    var known = names.getOrDefault(kind + "/" + namespace, Set.of());
    if (name.isEmpty() || known.contains(name)) {
      return true;
    }
    String near = NearestName.hint(name, known);
    findings.add(
        Finding.error(
            field,
            "%s \"%s\" is in no file and not in a new cluster".formatted(kind, name),
            near.isEmpty() ? "add a %s of this name to the files".formatted(kind) : near));
    return false;
  }

  /** The references of one pod. */
  private final class Look {

    private final String namespace;
    private final boolean makesClaims; // a JobSet's policies name claims in their own way
    private final List<Finding> findings;

    Look(String namespace, boolean makesClaims, List<Finding> findings) {
      this.namespace = namespace;
      this.makesClaims = makesClaims;
      this.findings = findings;
    }

    void pod(ObjectNode spec, String field) {
      for (String name : List.of("serviceAccountName", "serviceAccount")) {
        String account = Trees.text(spec, name);
        if (!account.equals(DEFAULT)) { // every namespace gets it
          require("ServiceAccount", namespace, account, field + "." + name, findings);
        }
      }
      String priority = Trees.text(spec, "priorityClassName");
      require("PriorityClass", "", priority, field + ".priorityClassName", findings);
      var volumes = Trees.objects(spec, "volumes");
      for (int i = 0; i < volumes.size(); i++) {
        volume(volumes.get(i), field + ".volumes[" + i + "]");
      }
      for (String list : List.of("initContainers", "containers")) {
        var containers = Trees.objects(spec, list);
        for (int i = 0; i < containers.size(); i++) {
          container(containers.get(i), field + "." + list + "[" + i + "]");
        }
      }
    }

    private void volume(ObjectNode volume, String field) {
      source(volume, field);
      if (!makesClaims) {
        String claim = Trees.text(volume, "persistentVolumeClaim", "claimName");
        String at = field + ".persistentVolumeClaim.claimName";
        require("PersistentVolumeClaim", namespace, claim, at, findings);
      }
      var projected = Trees.objects(volume, "projected", "sources");
      for (int i = 0; i < projected.size(); i++) {
        source(projected.get(i), field + ".projected.sources[" + i + "]");
      }
    }

    private void source(ObjectNode source, String field) {
      reference("ConfigMap", source, "configMap", "name", field);
      reference("Secret", source, "secret", "secretName", field);
      reference("Secret", source, "secret", "name", field); // as projected volumes call it
    }

    private void container(ObjectNode container, String field) {
      var sources = Trees.objects(container, "envFrom");
      for (int i = 0; i < sources.size(); i++) {
        String at = field + ".envFrom[" + i + "]";
        reference("ConfigMap", sources.get(i), "configMapRef", "name", at);
        reference("Secret", sources.get(i), "secretRef", "name", at);
      }
      var variables = Trees.objects(container, "env");
      for (int i = 0; i < variables.size(); i++) {
        int position = i;
        Trees.object(variables.get(i), "valueFrom")
            .ifPresent(from -> {
              String at = field + ".env[" + position + "].valueFrom";
              key("ConfigMap", from, "configMapKeyRef", at);
              key("Secret", from, "secretKeyRef", at);
            });
      }
    }

    /** Returns whether there is something to look into. */
    private boolean reference(
        String kind, ObjectNode parent, String child, String name, String field) {
      var reference = Trees.object(parent, child);
      if (reference.isEmpty() || reference.get().path("optional").asBoolean()) {
        return false;
      }
      String value = Trees.text(reference.get(), name);
      String at = field + "." + child + "." + name;
      return !value.isEmpty() && require(kind, namespace, value, at, findings);
    }

    private void key(String kind, ObjectNode from, String child, String field) {
      if (!reference(kind, from, child, "name", field)) {
        return;
      }
      var wanted = Trees.object(from, child).orElseThrow();
      String name = Trees.text(wanted, "name");
      ObjectNode holder = objects.get(kind + "/" + namespace + "/" + name);
      String key = Trees.text(wanted, "key");
      var keys = new TreeSet<String>();
      for (String part : List.of("data", "stringData", "binaryData")) {
        Trees.at(holder == null ? wanted : holder, part).fieldNames().forEachRemaining(keys::add);
      }
      if (!key.isEmpty() && !keys.contains(key)) {
        findings.add(
            Finding.error(
                field + "." + child + ".key",
                "%s \"%s\" has no key \"%s\"".formatted(kind, name, key),
                NearestName.hint(key, keys)));
      }
    }
  }
}
