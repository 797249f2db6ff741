package dev.regroup.api.admission.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code matchLabelKeys} and {@code mismatchLabelKeys} of a new pod: each key the pod has a label
 * for becomes a requirement of the selector beside it, so that schedulers read one field only.
 */
final class LabelKeys {

  private static final List<String> TERMS =
      List.of(
          "requiredDuringSchedulingIgnoredDuringExecution",
          "preferredDuringSchedulingIgnoredDuringExecution");

  private LabelKeys() {}

  static void merge(ObjectNode pod, ObjectNode spec) {
    JsonNode labels = Trees.at(pod, "metadata", "labels");
    for (ObjectNode term : terms(spec)) {
      Trees.object(term, "labelSelector")
          .ifPresent(selector -> {
            add(selector, Trees.texts(term, "matchLabelKeys"), "In", labels);
            add(selector, Trees.texts(term, "mismatchLabelKeys"), "NotIn", labels);
          });
    }
  }

  private static List<ObjectNode> terms(ObjectNode spec) {
    var terms = new ArrayList<>(Trees.objects(spec, "topologySpreadConstraints"));
    for (String kind : List.of("podAffinity", "podAntiAffinity")) {
      terms.addAll(Trees.objects(spec, "affinity", kind, TERMS.getFirst()));
      for (ObjectNode weighted : Trees.objects(spec, "affinity", kind, TERMS.getLast())) {
        Trees.object(weighted, "podAffinityTerm").ifPresent(terms::add);
      }
    }
    return terms;
  }

  private static void add(
      ObjectNode selector, List<String> keys, String operator, JsonNode labels) {
    for (String key : keys) {
      if (labels.has(key)) {
        Trees.list(selector, "matchExpressions")
            .addObject()
            .put("key", key)
            .put("operator", operator)
            .putArray("values")
            .add(labels.path(key));
      }
    }
  }
}
