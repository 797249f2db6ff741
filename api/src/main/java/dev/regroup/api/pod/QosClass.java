package dev.regroup.api.pod;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.schema.Quantity;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Quality of service of a pod: who is ended first when memory is short. It follows from the CPU and
 * memory of its init and regular containers, or of the pod itself where that says any.
 */
public enum QosClass {
  GUARANTEED("Guaranteed"),
  BURSTABLE("Burstable"),
  BEST_EFFORT("BestEffort");

  private static final List<String> COUNTED = List.of("cpu", "memory");

  private final String wireName;

  QosClass(String wireName) {
    this.wireName = wireName;
  }

  public String wireName() {
    return wireName;
  }

  /** What one container or the pod asks for of one resource; zero is nothing. */
  private record Share(BigDecimal request, BigDecimal limit) {
    boolean asks() {
      return request.signum() > 0 || limit.signum() > 0;
    }

    /** A request that is not given equals the limit. */
    boolean isGuaranteed() {
      return limit.signum() > 0 && (request.signum() == 0 || request.compareTo(limit) == 0);
    }
  }

  public static QosClass of(Pod pod) {
    var spec = pod.getSpec();
    var whole = shares(spec.getResources());
    if (whole.stream().anyMatch(Share::asks)) {
      return of(whole);
    }
    var shares = new ArrayList<Share>();
    spec.getInitContainers().forEach(container -> shares.addAll(shares(container.getResources())));
    spec.getContainers().forEach(container -> shares.addAll(shares(container.getResources())));
    return of(shares);
  }

  /** The same for a pod spec that is still a tree. */
  public static QosClass ofSpec(JsonNode spec) {
    var whole = shares(spec.path("resources"));
    if (whole.stream().anyMatch(Share::asks)) {
      return of(whole);
    }
    var shares = new ArrayList<Share>();
    for (String list : List.of("initContainers", "containers")) {
      spec.path(list).forEach(container -> shares.addAll(shares(container.path("resources"))));
    }
    return of(shares);
  }

  private static QosClass of(List<Share> shares) {
    if (shares.stream().noneMatch(Share::asks)) {
      return BEST_EFFORT;
    }
    return shares.stream().allMatch(Share::isGuaranteed) ? GUARANTEED : BURSTABLE;
  }

  private static List<Share> shares(@Nullable ResourceRequirements resources) {
    return COUNTED.stream()
        .map(name ->
            resources == null
                ? new Share(BigDecimal.ZERO, BigDecimal.ZERO)
                : new Share(
                    amount(resources.getRequests(), name), amount(resources.getLimits(), name)))
        .toList();
  }

  private static BigDecimal amount(
      @Nullable Map<String, io.fabric8.kubernetes.api.model.Quantity> amounts, String name) {
    var quantity = amounts == null ? null : amounts.get(name);
    return quantity == null ? BigDecimal.ZERO : quantity.getNumericalAmount();
  }

  private static List<Share> shares(JsonNode resources) {
    return COUNTED.stream()
        .map(name ->
            new Share(
                amount(resources.path("requests").path(name)),
                amount(resources.path("limits").path(name))))
        .toList();
  }

  private static BigDecimal amount(JsonNode quantity) {
    return Quantity.of(quantity.asText("")).map(Quantity::amount).orElse(BigDecimal.ZERO);
  }
}
