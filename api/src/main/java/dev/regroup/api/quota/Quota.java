package dev.regroup.api.quota;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.pod.QosClass;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One stored quota: how much of what a namespace may use, and how much it does.
 *
 * @param limits what the spec allows
 * @param hard what is enforced: the limits that the controller has seen
 * @param scopes the spec's conditions; only pods or claims that meet them all count
 */
public record Quota(
    String namespace,
    String name,
    QuotaAmounts limits,
    QuotaAmounts hard,
    QuotaAmounts used,
    List<JsonNode> scopes) {

  /** Quotas of these make every container name its share. */
  private static final Set<String> NAMED_BY_ALL =
      Set.of("cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory");

  public static Quota of(ObjectNode quota) {
    var spec = quota.path("spec");
    var scopes = new ArrayList<JsonNode>();
    for (String scope : Trees.texts(spec, "scopes")) {
      scopes.add(dev.regroup.api.Wire.object().put("scopeName", scope).put("operator", "Exists"));
    }
    scopes.addAll(Trees.objects(spec, "scopeSelector", "matchExpressions"));
    var status = quota.path("status");
    return new Quota(
        Trees.text(quota, "metadata", "namespace"),
        Trees.text(quota, "metadata", "name"),
        QuotaAmounts.of(spec.path("hard")),
        QuotaAmounts.of(status.path("hard")),
        QuotaAmounts.of(status.path("used")),
        scopes);
  }

  /** Whether an object of this kind counts here; with scopes only pods and claims do. */
  public boolean counts(String group, String plural, JsonNode object) {
    if (scopes.isEmpty()) {
      return true;
    }
    return group.isEmpty()
        && switch (plural) {
          case "pods" -> scopes.stream().allMatch(scope -> meets(scope, object));
          case "persistentvolumeclaims" ->
              scopes.stream().allMatch(scope -> meetsAsClaim(scope, object));
          default -> false;
        };
  }

  private static boolean meetsAsClaim(JsonNode scope, JsonNode claim) {
    if (!Trees.text(scope, "scopeName").equals("VolumeAttributesClass")) {
      return false;
    }
    var status = claim.path("status");
    var names =
        Stream.of(
                Trees.text(claim, "spec", "volumeAttributesClassName"),
                Trees.text(status, "currentVolumeAttributesClassName"),
                Trees.text(status, "modifyVolumeStatus", "targetVolumeAttributesClassName"))
            .filter(name -> !name.isEmpty())
            .distinct()
            .toList();
    return names.isEmpty()
        ? isOfClass(scope, "")
        : names.stream().anyMatch(name -> isOfClass(scope, name));
  }

  private static boolean meets(JsonNode scope, JsonNode pod) {
    var spec = pod.path("spec");
    return switch (Trees.text(scope, "scopeName")) {
      case "Terminating" -> Trees.has(spec, "activeDeadlineSeconds");
      case "NotTerminating" -> !Trees.has(spec, "activeDeadlineSeconds");
      case "BestEffort" -> QosClass.ofSpec(spec) == QosClass.BEST_EFFORT;
      case "NotBestEffort" -> QosClass.ofSpec(spec) != QosClass.BEST_EFFORT;
      case "PriorityClass" -> isOfClass(scope, Trees.text(spec, "priorityClassName"));
      case "CrossNamespacePodAffinity" -> looksAbroad(spec.path("affinity"));
      default -> false;
    };
  }

  /** Whether it wants to be near, or far from, pods of namespaces that it names or selects. */
  private static boolean looksAbroad(JsonNode affinity) {
    for (String kind : List.of("podAffinity", "podAntiAffinity")) {
      var rules = affinity.path(kind);
      for (JsonNode term : rules.path("requiredDuringSchedulingIgnoredDuringExecution")) {
        if (isAbroad(term)) {
          return true;
        }
      }
      for (JsonNode wish : rules.path("preferredDuringSchedulingIgnoredDuringExecution")) {
        if (isAbroad(wish.path("podAffinityTerm"))) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean isAbroad(JsonNode term) {
    return !term.path("namespaces").isEmpty() || Trees.has(term, "namespaceSelector");
  }

  private static boolean isOfClass(JsonNode scope, String name) {
    var values = Trees.texts(scope, "values");
    return switch (Trees.text(scope, "operator")) {
      case "Exists" -> !name.isEmpty();
      case "DoesNotExist" -> name.isEmpty();
      case "In" -> values.contains(name);
      case "NotIn" -> !values.contains(name);
      default -> false;
    };
  }

  /**
   * What an object that uses so much would be refused for.
   *
   * @param plural of its kind
   */
  public Optional<String> refusal(
      QuotaAmounts wanted, String group, String plural, JsonNode object) {
    var asked = wanted.only(hard::has);
    if (group.isEmpty() && plural.equals("pods")) {
      var missing = unnamed(object.path("spec"));
      if (missing.isPresent()) {
        return missing;
      }
    }
    var own = hard.only(name -> QuotaUsage.concerns(group, plural, Set.of(name)));
    if (!own.only(name -> !used.has(name)).isEmpty()) {
      return Optional.of(
          "status unknown for quota: "
              + name
              + ", resources: "
              + String.join(",", own.byName().keySet()));
    }
    var next = used.plus(asked);
    var exceeded =
        asked.only(one ->
            asked.of(one).amount().signum() > 0
                && next.of(one).amount().compareTo(hard.of(one).amount()) > 0);
    return exceeded.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "exceeded quota: %s, requested: %s, used: %s, limited: %s"
                .formatted(name, exceeded, used.only(exceeded::has), hard.only(exceeded::has)));
  }

  /** Containers that do not say how much they need of what this quota limits. */
  private Optional<String> unnamed(JsonNode spec) {
    var missing = new TreeMap<String, Set<String>>();
    for (String list : List.of("containers", "initContainers")) {
      for (JsonNode container : spec.path(list)) {
        for (String limited : hard.byName().keySet()) {
          if (NAMED_BY_ALL.contains(limited) && !names(spec, container, limited)) {
            missing
                .computeIfAbsent(limited, _ -> new TreeSet<>())
                .add(Trees.text(container, "name"));
          }
        }
      }
    }
    return missing.isEmpty()
        ? Optional.empty()
        : Optional.of(
            missing.entrySet().stream()
                .map(entry -> entry.getKey() + " for: " + String.join(",", entry.getValue()))
                .collect(
                    Collectors.joining("; ", "failed quota: " + name + ": must specify ", "")));
  }

  private static boolean names(JsonNode spec, JsonNode container, String limited) {
    int dot = limited.indexOf('.');
    String list = dot < 0 ? "requests" : limited.substring(0, dot);
    String resource = limited.substring(dot + 1);
    return Trees.has(container, "resources", list, resource)
        || Trees.has(spec, "resources", list, resource);
  }
}
