package dev.regroup.api.quota;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.pod.RestartFields;
import dev.regroup.api.schema.Quantity;
import dev.regroup.api.tree.Trees;
import java.util.Set;
import java.util.TreeMap;

/** What one object uses of what quotas count. */
public final class QuotaUsage {

  /** Kinds of the core group that are counted under their plain name, too. */
  private static final Set<String> PLAIN =
      Set.of(
          "services",
          "configmaps",
          "secrets",
          "replicationcontrollers",
          "resourcequotas",
          "persistentvolumeclaims");

  private static final Set<String> SHORT = Set.of("cpu", "memory", "ephemeral-storage");

  private QuotaUsage() {}

  /**
   * Of an object.
   *
   * @param plural of its kind
   */
  public static QuotaAmounts of(String group, String plural, JsonNode object) {
    var amounts = new TreeMap<String, Quantity>();
    var one = QuotaAmounts.whole(1);
    amounts.put("count/" + plural + (group.isEmpty() ? "" : "." + group), one);
    if (group.isEmpty() && PLAIN.contains(plural)) {
      amounts.put(plural, one);
    }
    var counted = new QuotaAmounts(amounts);
    return switch (group.isEmpty() ? plural : "") {
      case "pods" -> isFinished(object) ? counted : counted.plus(ofPod(object.path("spec")));
      case "services" -> counted.plus(ofService(object.path("spec")));
      case "persistentvolumeclaims" -> counted.plus(ofClaim(object.path("spec")));
      default -> counted;
    };
  }

  /** Whether objects of this kind use any of what is named. */
  public static boolean concerns(String group, String plural, Set<String> names) {
    return names.stream().anyMatch(name -> concerns(group, plural, name));
  }

  private static boolean concerns(String group, String plural, String name) {
    if (name.equals("count/" + plural + (group.isEmpty() ? "" : "." + group))) {
      return true;
    }
    if (!group.isEmpty()) {
      return false;
    }
    return switch (plural) {
      case "pods" ->
          name.equals("pods")
              || SHORT.contains(name)
              || name.startsWith("limits.")
              || (name.startsWith("requests.") && !name.equals("requests.storage"));
      case "services" -> name.equals(plural) || name.startsWith("services.");
      case "persistentvolumeclaims" ->
          name.equals(plural)
              || name.equals("requests.storage")
              || name.contains(".storageclass.storage.k8s.io/");
      default -> PLAIN.contains(plural) && name.equals(plural);
    };
  }

  /**
   * What of an object decides which quotas count it while it is there.
   *
   * @param finished uses nothing any more
   * @param bounded has an end of its own: scope Terminating
   */
  public record Standing(boolean finished, boolean bounded) {

    public static Standing of(JsonNode object) {
      return new Standing(
          isFinished(object), Trees.has(object.path("spec"), "activeDeadlineSeconds"));
    }
  }

  /** A pod that ended uses nothing, though it is still there. */
  public static boolean isFinished(JsonNode pod) {
    return switch (Trees.text(pod, "status", "phase")) {
      case "Succeeded", "Failed" -> true;
      default -> false;
    };
  }

  private static QuotaAmounts ofPod(JsonNode spec) {
    var amounts = new TreeMap<String, Quantity>();
    amounts.put("pods", QuotaAmounts.whole(1));
    needed(spec, "requests")
        .byName()
        .forEach((name, amount) -> {
          amounts.put("requests." + name, amount);
          if (SHORT.contains(name)) {
            amounts.put(name, amount);
          }
        });
    needed(spec, "limits")
        .byName()
        .forEach((name, amount) -> amounts.put("limits." + name, amount));
    return new QuotaAmounts(amounts);
  }

  /**
   * All containers and sidecars together, or an init container beside the sidecars before it,
   * whichever is more; what the pod says as a whole comes first, its overhead is on top.
   */
  private static QuotaAmounts needed(JsonNode spec, String field) {
    var running = QuotaAmounts.NONE;
    for (JsonNode container : spec.path("containers")) {
      running = running.plus(resources(container, field));
    }
    var sidecars = QuotaAmounts.NONE;
    var starting = QuotaAmounts.NONE;
    for (JsonNode container : spec.path("initContainers")) {
      var own = resources(container, field);
      if (RestartFields.isSidecar(container)) {
        sidecars = sidecars.plus(own);
        starting = starting.max(sidecars);
      } else {
        starting = starting.max(sidecars.plus(own));
      }
    }
    var all = new TreeMap<>(running.plus(sidecars).max(starting).byName());
    all.putAll(resources(spec, field).byName());
    return new QuotaAmounts(all).plus(QuotaAmounts.of(spec.path("overhead")));
  }

  private static QuotaAmounts resources(JsonNode owner, String field) {
    return QuotaAmounts.of(owner.path("resources").path(field));
  }

  private static QuotaAmounts ofService(JsonNode spec) {
    var amounts = new TreeMap<String, Quantity>();
    int ports = spec.path("ports").size();
    switch (Trees.text(spec, "type")) {
      case "NodePort" -> amounts.put("services.nodeports", QuotaAmounts.whole(ports));
      case "LoadBalancer" -> {
        boolean withPorts = spec.path("allocateLoadBalancerNodePorts").asBoolean(true);
        amounts.put("services.nodeports", QuotaAmounts.whole(withPorts ? ports : 0));
        amounts.put("services.loadbalancers", QuotaAmounts.whole(1));
      }
      default -> {} // uses no port of the nodes
    }
    return new QuotaAmounts(amounts);
  }

  private static QuotaAmounts ofClaim(JsonNode spec) {
    var amounts = new TreeMap<String, Quantity>();
    var prefix = Trees.text(spec, "storageClassName") + ".storageclass.storage.k8s.io/";
    boolean classed = !Trees.text(spec, "storageClassName").isEmpty();
    if (classed) {
      amounts.put(prefix + "persistentvolumeclaims", QuotaAmounts.whole(1));
    }
    Quantity.of(Trees.text(spec, "resources", "requests", "storage"))
        .ifPresent(storage -> {
          amounts.put("requests.storage", storage);
          if (classed) {
            amounts.put(prefix + "requests.storage", storage);
          }
        });
    return new QuotaAmounts(amounts);
  }
}
