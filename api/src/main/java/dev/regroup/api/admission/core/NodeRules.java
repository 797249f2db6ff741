package dev.regroup.api.admission.core;

import static dev.regroup.api.admission.field.FieldError.forbidden;
import static dev.regroup.api.admission.field.FieldError.invalid;
import static dev.regroup.api.admission.field.FieldError.notSupported;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
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
  public void fill(ObjectNode node) {
    ObjectNode spec = Trees.child(node, "spec");
    String range = Trees.text(spec, "podCIDR");
    if (!range.isEmpty() && !Trees.has(spec, "podCIDRs")) {
      spec.putArray("podCIDRs").add(range);
    }
  }

  @Override
  public void begin(ObjectNode node) {
    node.set(
        "status",
        Wire.tree(
            """
            {"daemonEndpoints": {"kubeletEndpoint": {"Port": 0}},
             "nodeInfo": {"machineID": "", "systemUUID": "", "bootID": "", "kernelVersion": "",
               "osImage": "", "containerRuntimeVersion": "", "kubeletVersion": "",
               "kubeProxyVersion": "", "operatingSystem": "", "architecture": ""}}
            """));
  }

  @Override
  public List<FieldError> check(ObjectNode node, @Nullable ObjectNode old) {
    var errors = new ArrayList<FieldError>();
    taints(node, errors);
    ranges(node, errors);
    features(node, errors);
    JsonNode before = old == null ? node : old;
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
    return errors;
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
      if (!EFFECTS.contains(effect)) {
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
      int slash = range.indexOf('/');
      boolean good =
          slash > 0
              && Addresses.isAddress(range.substring(0, slash))
              && range.substring(slash + 1).matches("\\d{1,3}");
      if (!good) {
        errors.add(
            invalid(
                FieldPath.of("spec", "podCIDRs").index(i),
                range,
                "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"));
      }
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
