package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;
import static dev.regroup.api.admission.field.FieldError.required;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.container.ResourceNames;
import dev.regroup.api.admission.field.Addresses;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.NameRules;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Nodes: taints, pod addresses, declared features (GATE-15). */
final class NodeRules implements KindRules {

  private static final List<String> EFFECTS =
      List.of("NoSchedule", "PreferNoSchedule", "NoExecute");
  private static final Pattern FEATURE = Pattern.compile("[A-Z][A-Za-z0-9]*(/[A-Za-z0-9]+)*");

  @Override
  public boolean hasStatus() {
    return true;
  }

  @Override
  public boolean keepsFirstStatus() {
    return true; // a kubelet registers itself with what it has
  }

  @Override
  public void fill(ObjectNode node) {
    ObjectNode spec = Trees.child(node, "spec");
    spec.remove("configSource"); // nobody serves it any more
    ObjectNode status = Trees.child(node, "status");
    if (!Trees.has(status, "allocatable") && !status.path("capacity").isEmpty()) {
      status.set("allocatable", status.path("capacity").deepCopy());
    }
    String range = Trees.text(spec, "podCIDR");
    var ranges = Trees.texts(spec, "podCIDRs");
    if (!range.isEmpty() && (ranges.isEmpty() || !ranges.getFirst().equals(range))) {
      spec.putArray("podCIDRs").add(range); // the older field wins
    } else if (!ranges.isEmpty()) {
      spec.put("podCIDR", ranges.getFirst());
    }
  }

  @Override
  public void begin(ObjectNode node) {
    ObjectNode given = Trees.child(node, "status");
    ObjectNode empty =
        Wire.tree(
            """
            {"daemonEndpoints": {"kubeletEndpoint": {"Port": 0}},
             "nodeInfo": {"machineID": "", "systemUUID": "", "bootID": "", "kernelVersion": "",
               "osImage": "", "containerRuntimeVersion": "", "kubeletVersion": "",
               "kubeProxyVersion": "", "operatingSystem": "", "architecture": ""}}
            """);
    empty.properties().forEach(field -> given.putIfAbsent(field.getKey(), field.getValue()));
  }

  @Override
  public List<FieldError> check(ObjectNode node, @Nullable ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    if (old == null) {
      taints(node, errors);
      resources(node, errors);
      features(node, errors);
      ranges(node, errors);
      return errors;
    }
    resources(node, errors);
    features(node, errors);
    addresses(node, errors);
    taints(node, errors);
    JsonNode before = old;
    boolean moved =
        Trees.has(before, "spec", "podCIDRs")
            && !Trees.same(
                Trees.at(node, "spec", "podCIDRs"), Trees.at(before, "spec", "podCIDRs"));
    if (moved) {
      errors.add(
          forbidden(
              FieldPath.of("spec", "podCIDRs"),
              "node updates may not change podCIDR except from \"\" to valid"));
    }
    String provider = Trees.text(before, "spec", "providerID");
    if (!provider.isEmpty() && !provider.equals(Trees.text(node, "spec", "providerID"))) {
      errors.add(
          forbidden(
              FieldPath.of("spec", "providerID"),
              "node updates may not change providerID except from \"\" to valid"));
    }
    String id = Trees.text(before, "spec", "externalID");
    if (!id.isEmpty() && !id.equals(Trees.text(node, "spec", "externalID"))) {
      errors.add(forbidden(FieldPath.of("spec", "externalID"), "may not be updated"));
    }
    return errors;
  }

  @Override
  public List<String> warnings(ObjectNode node) {
    return Trees.text(node, "spec", "externalID").isEmpty()
        ? List.of()
        : List.of("spec.externalID: this field is deprecated, and is unused by Kubernetes");
  }

  private static void resources(ObjectNode node, List<FieldError> errors) {
    for (String part : List.of("capacity", "allocatable")) {
      for (var amount : node.path("status").path(part).properties()) {
        String name = amount.getKey();
        FieldPath path = FieldPath.of("status", part, name);
        errors.addAll(ResourceNames.amount(path, name, amount.getValue().asText()));
      }
    }
  }

  private static void addresses(ObjectNode node, List<FieldError> errors) {
    var seen = new HashSet<JsonNode>();
    var addresses = Trees.objects(node, "status", "addresses");
    for (int i = 0; i < addresses.size(); i++) {
      if (!seen.add(addresses.get(i))) {
        FieldPath path = FieldPath.of("status", "addresses").index(i);
        errors.add(FieldError.duplicate(path, FieldError.internal(addresses.get(i))));
      }
    }
  }

  private static void taints(ObjectNode node, List<FieldError> errors) {
    var seen = new HashSet<String>();
    var taints = Trees.objects(node, "spec", "taints");
    for (int i = 0; i < taints.size(); i++) {
      // The path really says metadata.
      FieldPath path = FieldPath.of("metadata", "taints").index(i);
      String key = Trees.text(taints.get(i), "key");
      String effect = Trees.text(taints.get(i), "effect");
      NameRules.qualified(key)
          .forEach(problem -> errors.add(invalid(path.field("key"), key, problem)));
      String value = Trees.text(taints.get(i), "value");
      NameRules.labelValue(value)
          .forEach(problem -> errors.add(invalid(path.field("value"), value, problem)));
      if (effect.isEmpty()) {
        errors.add(required(path.field("effect"), ""));
      } else if (!EFFECTS.contains(effect)) {
        errors.add(notSupported(path.field("effect"), effect, EFFECTS));
      }
      if (!seen.add(key + ":" + effect)) {
        errors.add(
            new FieldError(
                FieldError.Kind.DUPLICATE,
                path,
                FieldError.internal(taints.get(i)),
                "taints must be unique by key and effect pair"));
      }
    }
  }

  private static void ranges(ObjectNode node, List<FieldError> errors) {
    var ranges = Trees.texts(node, "spec", "podCIDRs");
    for (int i = 0; i < ranges.size(); i++) {
      String range = ranges.get(i);
      if (!Addresses.isRange(range)) {
        errors.add(invalid(FieldPath.of("spec", "podCIDRs").index(i), range, Addresses.RANGE_TEXT));
      }
    }
    long fourth = ranges.stream().filter(range -> !range.contains(":")).count();
    if (ranges.size() > 2 || (ranges.size() == 2 && fourth != 1)) {
      errors.add(
          invalid(
              FieldPath.of("spec", "podCIDRs"),
              node.path("spec").path("podCIDRs"),
              "may specify no more than one CIDR for each IP family"));
    }
  }

  private static void features(ObjectNode node, List<FieldError> errors) {
    var features = Trees.texts(node, "status", "declaredFeatures");
    for (int i = 0; i < features.size(); i++) {
      FieldPath path = FieldPath.of("status", "declaredFeatures").index(i);
      String feature = features.get(i);
      if (i > 0 && features.get(i - 1).compareTo(feature) > 0) {
        errors.add(invalid(path, feature, "list must be sorted alphabetically"));
      }
      if (i > 0 && features.get(i - 1).equals(feature)) {
        errors.add(FieldError.duplicate(path, feature));
      }
      if (!FEATURE.matcher(feature).matches()) {
        errors.add(
            invalid(
                path,
                feature,
                ("invalid feature name \"%s\": must start with an UpperCamelCase segment, with"
                        + " subsequent segments separated by '/' (e.g., MyFeature or"
                        + " MyFeature/mySubFeature), and contain only alphanumeric characters and"
                        + " slashes")
                    .formatted(feature)));
      }
    }
  }
}
