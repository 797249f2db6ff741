package dev.regroup.api.admission.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.RefusalStatus;
import dev.regroup.api.admission.review.AdmissionLink;
import dev.regroup.api.admission.review.AdmissionSettings;
import dev.regroup.api.admission.review.Admitted;
import dev.regroup.api.admission.review.Lookup;
import dev.regroup.api.admission.review.Review;
import dev.regroup.api.admission.review.TokenVolumes;
import dev.regroup.api.pod.PodReferences;
import dev.regroup.api.tree.Trees;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * What Kubernetes' admission plugins add to a new pod: service account (and its token), default
 * tolerations, priority. The first plugin that refuses ends it, with a 403. The one for tolerations
 * looks at updates too.
 */
public final class PodAdditions implements AdmissionLink<RuntimeException> {

  private static final Map<String, Integer> SYSTEM_PRIORITIES =
      Map.of("system-cluster-critical", 2_000_000_000, "system-node-critical", 2_000_001_000);
  private static final String TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";
  private static final String NAME_CHARACTERS = "bcdfghjklmnpqrstvwxz2456789";

  private final AdmissionSettings settings;
  private final RandomGenerator random;

  public PodAdditions(AdmissionSettings settings, RandomGenerator random) {
    this.settings = settings;
    this.random = random;
  }

  @Override
  public Admitted admit(Review review, Lookup lookup) {
    if (!review.isOf("", "Pod")) {
      return review.unchanged();
    }
    return switch (review.operation()) {
      case CREATE -> create(review, lookup);
      case UPDATE -> {
        if (!review.keeps("spec")) {
          tolerations(Trees.child(review.object(), "spec"));
        }
        yield review.unchanged();
      }
      case UPDATE_STATUS, UPDATE_EPHEMERAL_CONTAINERS, UPDATE_RESIZE, DELETE, CONNECT, ACT ->
          review.unchanged();
    };
  }

  private Admitted create(Review review, Lookup lookup) {
    ObjectNode pod = review.object();
    ObjectNode spec = Trees.child(pod, "spec");
    var forbidden =
        (PodReferences.isMirror(pod)
                ? mirror(pod)
                : serviceAccount(spec, Trees.text(pod, "metadata", "namespace"), lookup))
            .or(() -> {
              tolerations(spec);
              return runtimeClass(spec).or(() -> priority(spec, lookup));
            });
    if (forbidden.isEmpty()) {
      return review.unchanged();
    }
    String name = Trees.text(pod, "metadata", "name");
    return new Admitted(
        pod, List.of(), List.of(), RefusalStatus.forbidden("", "pods", name, forbidden.get()));
  }

  /** Its node must find it as it is, and it may not lend its node what belongs to others. */
  private static Optional<String> mirror(ObjectNode pod) {
    var references = PodReferences.of(pod);
    if (!Trees.text(pod, "spec", "serviceAccountName").isEmpty()) {
      return Optional.of("a mirror pod may not reference service accounts");
    }
    if (references.stream().anyMatch(one -> one.startsWith("secrets "))) {
      return Optional.of("a mirror pod may not reference secrets");
    }
    boolean token =
        Trees.objects(pod.path("spec"), "volumes").stream()
            .flatMap(volume -> Trees.objects(volume, "projected", "sources").stream())
            .anyMatch(part -> part.hasNonNull("serviceAccountToken"));
    return token
        ? Optional.of("a mirror pod may not use ServiceAccountToken volume projections")
        : Optional.empty();
  }

  private Optional<String> serviceAccount(ObjectNode spec, String namespace, Lookup lookup) {
    Trees.fill(spec, "serviceAccountName", "default");
    String name = Trees.text(spec, "serviceAccountName");
    spec.put("serviceAccount", name);
    var account = lookup.find("v1", "ServiceAccount", namespace, name);
    if (account.isEmpty()) {
      // The product does not make a pod wait for the account every namespace gets anyway.
      boolean madeSoon =
          name.equals("default") && settings.gates().preset() == Gates.Preset.PRODUCT;
      if (!madeSoon) {
        return Optional.of(
            "error looking up service account %s/%s: serviceaccount \"%s\" not found"
                .formatted(namespace, name, name));
      }
    }
    account.ifPresent(object -> {
      JsonNode secrets = object.path("imagePullSecrets");
      if (!Trees.has(spec, "imagePullSecrets") && !secrets.isEmpty()) {
        spec.set("imagePullSecrets", secrets.deepCopy());
      }
    });
    boolean wanted =
        Trees.has(spec, "automountServiceAccountToken")
            ? Trees.isTrue(spec, "automountServiceAccountToken")
            : account.map(object -> !deniesToken(object)).orElse(true);
    if (wanted && settings.tokens() == TokenVolumes.MOUNTED) {
      mountToken(spec);
    }
    return Optional.empty();
  }

  private static boolean deniesToken(ObjectNode account) {
    return Trees.has(account, "automountServiceAccountToken")
        && !Trees.isTrue(account, "automountServiceAccountToken");
  }

  private void mountToken(ObjectNode spec) {
    var containers = List.of("initContainers", "containers");
    String volume = tokenVolume(spec);
    boolean used = false;
    for (String list : containers) {
      for (ObjectNode container : Trees.objects(spec, list)) {
        boolean mounted =
            Trees.objects(container, "volumeMounts").stream()
                .anyMatch(mount -> Trees.text(mount, "mountPath").equals(TOKEN_PATH));
        if (!mounted) {
          Trees.list(container, "volumeMounts")
              .addObject()
              .put("name", volume)
              .put("readOnly", true)
              .put("mountPath", TOKEN_PATH);
          used = true;
        }
      }
    }
    if (used && Trees.objects(spec, "volumes").stream().noneMatch(has(volume))) {
      ObjectNode source = Trees.list(spec, "volumes").addObject().put("name", volume);
      source.set("projected", Wire.tree(TOKEN_SOURCES));
    }
  }

  /** The name of the token volume a pod already has, else a new one. */
  private String tokenVolume(ObjectNode spec) {
    for (ObjectNode volume : Trees.objects(spec, "volumes")) {
      if (Trees.text(volume, "name").startsWith("kube-api-access-")) {
        return Trees.text(volume, "name");
      }
    }
    var name = new StringBuilder("kube-api-access-");
    for (int i = 0; i < 5; i++) {
      name.append(NAME_CHARACTERS.charAt(random.nextInt(NAME_CHARACTERS.length())));
    }
    return name.toString();
  }

  private static Predicate<ObjectNode> has(String name) {
    return volume -> Trees.text(volume, "name").equals(name);
  }

  private static final String TOKEN_SOURCES =
      """
      {"sources": [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {"downwardAPI": {"items": [{"path": "namespace",
          "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}]}}],
       "defaultMode": 420}
      """;

  /** Every pod leaves a lost node after five minutes unless it says otherwise. */
  private static void tolerations(ObjectNode spec) {
    for (String condition : List.of("not-ready", "unreachable")) {
      String key = "node.kubernetes.io/" + condition;
      if (Trees.objects(spec, "tolerations").stream().noneMatch(t -> tolerates(t, key))) {
        ArrayNode tolerations = Trees.list(spec, "tolerations");
        tolerations
            .addObject()
            .put("key", key)
            .put("operator", "Exists")
            .put("effect", "NoExecute")
            .put("tolerationSeconds", 300);
      }
    }
  }

  private static boolean tolerates(ObjectNode toleration, String key) {
    String given = Trees.text(toleration, "key");
    String effect = Trees.text(toleration, "effect");
    return (given.equals(key) || given.isEmpty())
        && (effect.equals("NoExecute") || effect.isEmpty());
  }

  /** There is none: Kubernetes refuses then, the product says that it makes no difference. */
  private Optional<String> runtimeClass(ObjectNode spec) {
    if (settings.gates().preset() == Gates.Preset.PRODUCT) {
      return Optional.empty();
    }
    String name = Trees.text(spec, "runtimeClassName");
    if (!name.isEmpty()) {
      return Optional.of("pod rejected: RuntimeClass \"%s\" not found".formatted(name));
    }
    return spec.path("overhead").isEmpty()
        ? Optional.empty()
        : Optional.of(
            "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
  }

  private Optional<String> priority(ObjectNode spec, Lookup lookup) {
    String className = Trees.text(spec, "priorityClassName");
    int computed = 0;
    String preemption = "PreemptLowerPriority";
    if (SYSTEM_PRIORITIES.containsKey(className)) {
      computed = SYSTEM_PRIORITIES.getOrDefault(className, 0);
    } else if (!className.isEmpty()) {
      var priorityClass =
          lookup.find("scheduling.k8s.io/v1", "PriorityClass", null, className).orElse(null);
      if (priorityClass == null) {
        return Optional.of("no PriorityClass with name " + className + " was found");
      }
      computed = priorityClass.path("value").intValue();
      preemption = Trees.textIfPresent(priorityClass, "preemptionPolicy").orElse(preemption);
    }
    var given = Trees.number(spec, "priority");
    if (given.isPresent() && given.getAsLong() != computed) {
      return Optional.of(
          ("the integer value of priority (%d) must not be provided in pod spec; priority admission"
                  + " controller computed %d from the given PriorityClass name")
              .formatted(given.getAsLong(), computed));
    }
    String givenPreemption = Trees.text(spec, "preemptionPolicy");
    if (!givenPreemption.isEmpty() && !givenPreemption.equals(preemption)) {
      return Optional.of(
          ("the string value of PreemptionPolicy (%s) must not be provided in pod spec; priority"
                  + " admission controller computed %s from the given PriorityClass name")
              .formatted(givenPreemption, preemption));
    }
    spec.put("priority", computed);
    spec.put("preemptionPolicy", preemption);
    return Optional.empty();
  }
}
