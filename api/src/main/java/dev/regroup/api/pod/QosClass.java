package dev.regroup.api.pod;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Quality of service of a pod, from the CPU and memory of its init and regular containers. */
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

  public static QosClass of(Pod pod) {
    var spec = pod.getSpec();
    var containers =
        Stream.concat(spec.getInitContainers().stream(), spec.getContainers().stream()).toList();
    boolean guaranteed = true;
    var requests = new HashMap<String, BigDecimal>();
    var limits = new HashMap<String, BigDecimal>();
    for (var container : containers) {
      add(requestsOf(container), requests);
      var own = limitsOf(container);
      add(own, limits);
      guaranteed &= COUNTED.stream().allMatch(name -> amount(own, name).signum() > 0);
    }
    if (requests.isEmpty() && limits.isEmpty()) {
      return BEST_EFFORT;
    }
    for (var name : COUNTED) {
      var limit = limits.getOrDefault(name, BigDecimal.ZERO);
      guaranteed &= requests.getOrDefault(name, limit).compareTo(limit) == 0;
    }
    return guaranteed ? GUARANTEED : BURSTABLE;
  }

  private static void add(@Nullable Map<String, Quantity> quantities, Map<String, BigDecimal> sum) {
    for (var name : COUNTED) {
      var amount = amount(quantities, name);
      if (amount.signum() > 0) {
        sum.merge(name, amount, BigDecimal::add);
      }
    }
  }

  private static BigDecimal amount(@Nullable Map<String, Quantity> quantities, String name) {
    var quantity = quantities == null ? null : quantities.get(name);
    return quantity == null ? BigDecimal.ZERO : quantity.getNumericalAmount();
  }

  private static @Nullable Map<String, Quantity> requestsOf(Container container) {
    return container.getResources() == null ? null : container.getResources().getRequests();
  }

  private static @Nullable Map<String, Quantity> limitsOf(Container container) {
    return container.getResources() == null ? null : container.getResources().getLimits();
  }
}
