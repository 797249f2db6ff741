package dev.regroup.api.admission.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gates;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.KnownFields;
import dev.regroup.api.schema.Quantity;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/** What a pod or its template may say but hardly means, as texts for Warning headers. */
public final class PodWarnings {

  private static final Map<String, String> OLD_NODE_LABELS =
      Map.of(
          "beta.kubernetes.io/arch",
          "deprecated since v1.14; use \"kubernetes.io/arch\" instead",
          "beta.kubernetes.io/os",
          "deprecated since v1.14; use \"kubernetes.io/os\" instead",
          "failure-domain.beta.kubernetes.io/region",
          "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead",
          "failure-domain.beta.kubernetes.io/zone",
          "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead",
          "beta.kubernetes.io/instance-type",
          "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead");
  private static final List<String> CONTAINERS =
      List.of("initContainers", "containers", "ephemeralContainers");
  private static final String NO_SELECTOR = "a null labelSelector results in matching no pod";
  private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
  private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

  private final JsonNode owner;
  private final JsonNode spec;
  private final FieldPath root;
  private final FieldPath path;
  private final List<String> warnings = new ArrayList<>();

  private PodWarnings(JsonNode owner, FieldPath root) {
    this.owner = owner;
    this.spec = owner.path("spec");
    this.root = root;
    this.path = root.field("spec");
  }

  /** {@code owner} holds metadata and spec: a pod or a template at {@code path}. */
  public static List<String> of(Gates gates, JsonNode owner, FieldPath path) {
    var warnings = new PodWarnings(owner, path).all();
    warnings.addAll(KnownFields.ofPod(gates, owner.path("spec"), path.field("spec")));
    return warnings;
  }

  private List<String> all() {
    for (String label : Trees.keys(spec, "nodeSelector")) {
      String old = OLD_NODE_LABELS.get(label);
      if (old != null) {
        warn(path.field("nodeSelector").key(label), old);
      }
    }
    terms();
    spreads();
    new OldFeatures(owner, root, warnings).add();
    doubles("hostAliases", "ip");
    doubles("imagePullSecrets", "name");
    emptySecrets();
    eachContainer(this::container);
    new PortWarnings(spec, path, warnings).add();
    if (Trees.number(spec, "terminationGracePeriodSeconds").orElse(0) < 0) {
      warn(
          path.field("terminationGracePeriodSeconds"),
          "must be >= 0; negative values are invalid and will be treated as 1");
    }
    affinity();
    eachContainer(this::completion);
    return warnings;
  }

  private void warn(FieldPath at, String text) {
    warnings.add(at + ": " + text);
  }

  private interface ContainerVisit {
    void visit(ObjectNode container, FieldPath path);
  }

  private void eachContainer(ContainerVisit visit) {
    for (String list : CONTAINERS) {
      var containers = Trees.objects(spec, list);
      for (int i = 0; i < containers.size(); i++) {
        visit.visit(containers.get(i), path.field(list).index(i));
      }
    }
  }

  /** Old labels in the rules about nodes. */
  private void terms() {
    FieldPath at = path.field("affinity", "nodeAffinity");
    var required = Trees.objects(spec, "affinity", "nodeAffinity", REQUIRED, "nodeSelectorTerms");
    for (int i = 0; i < required.size(); i++) {
      term(required.get(i), at.field(REQUIRED, "nodeSelectorTerms").index(i));
    }
    var preferred = Trees.objects(spec, "affinity", "nodeAffinity", PREFERRED);
    for (int i = 0; i < preferred.size(); i++) {
      term(preferred.get(i).path("preference"), at.field(PREFERRED).index(i).field("preference"));
    }
  }

  private void term(JsonNode term, FieldPath at) {
    var expressions = Trees.objects(term, "matchExpressions");
    for (int i = 0; i < expressions.size(); i++) {
      String key = Trees.text(expressions.get(i), "key");
      String old = OLD_NODE_LABELS.get(key);
      if (old != null) {
        warn(at.field("matchExpressions").index(i).field("key"), key + " is " + old);
      }
    }
  }

  private void spreads() {
    var spreads = Trees.objects(spec, "topologySpreadConstraints");
    for (int i = 0; i < spreads.size(); i++) {
      FieldPath at = path.field("topologySpreadConstraints").index(i);
      String key = Trees.text(spreads.get(i), "topologyKey");
      String old = OLD_NODE_LABELS.get(key);
      if (old != null) {
        warn(at.field("topologyKey"), key + " is " + old);
      }
      if (!Trees.has(spreads.get(i), "labelSelector")) {
        warn(at.field("labelSelector"), NO_SELECTOR);
      }
    }
  }

  private void doubles(String list, String field) {
    var seen = new HashSet<String>();
    var items = Trees.objects(spec, list);
    for (int i = 0; i < items.size(); i++) {
      String value = Trees.text(items.get(i), field);
      if (!seen.add(value)) {
        warn(path.field(list).index(i).field(field), "duplicate %s \"%s\"".formatted(field, value));
      }
    }
  }

  private void emptySecrets() {
    var secrets = Trees.objects(spec, "imagePullSecrets");
    for (int i = 0; i < secrets.size(); i++) {
      if (Trees.text(secrets.get(i), "name").isEmpty()) {
        warn(path.field("imagePullSecrets").index(i).field("name"), "invalid empty name \"\"");
      }
    }
  }

  private void container(ObjectNode container, FieldPath at) {
    for (String resource : List.of("memory", "ephemeral-storage")) {
      for (String list : List.of("limits", "requests")) {
        String amount = Trees.text(container, "resources", list, resource);
        boolean fractional =
            Quantity.of(amount)
                .filter(quantity -> quantity.amount().stripTrailingZeros().scale() > 0)
                .isPresent();
        if (fractional) {
          warn(
              at.field("resources", list).key(resource),
              "fractional byte value \"%s\" is invalid, must be an integer".formatted(amount));
        }
      }
    }
    var places = new HashMap<String, Integer>();
    var variables = Trees.objects(container, "env");
    for (int i = 0; i < variables.size(); i++) {
      String name = Trees.text(variables.get(i), "name");
      String value = Trees.text(variables.get(i), "value");
      String reference = "$(" + name + ")";
      boolean keeps = value.contains(reference) && !value.equals(reference);
      if (places.putIfAbsent(name, i) != null && !keeps) {
        warn(
            at.field("env").index(i),
            "hides previous definition of \"%s\", which may be dropped when using apply"
                .formatted(name));
      }
    }
  }

  private void affinity() {
    for (String kind : List.of("podAffinity", "podAntiAffinity")) {
      FieldPath at = path.field("affinity", kind);
      var required = Trees.objects(spec, "affinity", kind, REQUIRED);
      for (int i = 0; i < required.size(); i++) {
        if (!Trees.has(required.get(i), "labelSelector")) {
          warn(at.field(REQUIRED).index(i).field("labelSelector"), NO_SELECTOR);
        }
      }
      var preferred = Trees.objects(spec, "affinity", kind, PREFERRED);
      for (int i = 0; i < preferred.size(); i++) {
        if (!Trees.has(preferred.get(i), "podAffinityTerm", "labelSelector")) {
          warn(at.field(PREFERRED).index(i).field("podAffinityTerm", "labelSelector"), NO_SELECTOR);
        }
      }
    }
  }

  /** A container that always restarts never completes (VAL-16). */
  private void completion(ObjectNode container, FieldPath at) {
    if (Trees.has(container, "lifecycle", "onCompletion") && alwaysRestarts(container)) {
      warn(
          at.field("lifecycle", "onCompletion"),
          "never fires while the container is always restarted");
    }
  }

  private boolean alwaysRestarts(ObjectNode container) {
    String own = Trees.text(container, "restartPolicy");
    String policy = own.isEmpty() ? Trees.text(spec, "restartPolicy") : own;
    return policy.equals("Always") && container.path("restartPolicyRules").isEmpty();
  }
}
