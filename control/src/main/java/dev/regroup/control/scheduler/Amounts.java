package dev.regroup.control.scheduler;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.pod.RestartFields;
import dev.regroup.api.schema.Quantity;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongBinaryOperator;

/**
 * Amounts of resources by name: CPU in thousandths, all others in whole units, rounded up. What is
 * not in it is zero.
 */
record Amounts(Map<String, Long> byName) {

  static final Amounts NONE = new Amounts(Map.of());

  private static final String CPU = "cpu";
  private static final long MOST = Long.MAX_VALUE / 4; // sums of two stay numbers

  Amounts {
    byName = Map.copyOf(byName);
  }

  /** Of a list of quantities, such as {@code allocatable} or {@code requests}. */
  static Amounts of(JsonNode quantities) {
    if (quantities.isEmpty()) {
      return NONE;
    }
    var amounts = new HashMap<String, Long>();
    quantities
        .properties()
        .forEach(entry -> {
          long amount = amount(entry.getKey(), entry.getValue().asText(""));
          if (amount > 0) {
            amounts.put(entry.getKey(), amount);
          }
        });
    return new Amounts(amounts);
  }

  /**
   * What a pod needs at its hungriest moment: all containers and sidecars together, or an init
   * container beside the sidecars that are before it. Requests of the pod as a whole come first;
   * overhead is on top.
   */
  static Amounts ofPod(JsonNode spec) {
    var running = NONE;
    for (JsonNode container : spec.path("containers")) {
      running = running.plus(requests(container));
    }
    var sidecars = NONE;
    var starting = NONE;
    for (JsonNode container : spec.path("initContainers")) {
      var own = requests(container);
      if (RestartFields.isSidecar(container)) {
        sidecars = sidecars.plus(own);
        starting = starting.max(sidecars);
      } else {
        starting = starting.max(sidecars.plus(own));
      }
    }
    var needed = new HashMap<>(running.plus(sidecars).max(starting).byName());
    needed.putAll(requests(spec).byName());
    return new Amounts(needed).plus(of(spec.path("overhead")));
  }

  long of(String name) {
    return byName.getOrDefault(name, 0L);
  }

  Amounts plus(Amounts other) {
    return with(other, (one, two) -> Math.min(MOST, one + two));
  }

  Amounts minus(Amounts other) {
    return with(other, (one, two) -> one - two);
  }

  private Amounts max(Amounts other) {
    return with(other, Math::max);
  }

  private Amounts with(Amounts other, LongBinaryOperator operator) {
    if (other.byName.isEmpty()) {
      return this;
    }
    var amounts = new HashMap<>(byName);
    other.byName.forEach(
        (name, amount) -> amounts.put(name, operator.applyAsLong(of(name), amount)));
    amounts.values().removeIf(amount -> amount == 0);
    return new Amounts(amounts);
  }

  private static Amounts requests(JsonNode owner) {
    return of(owner.path("resources").path("requests"));
  }

  private static long amount(String name, String quantity) {
    var value = Quantity.of(quantity).map(Quantity::amount).orElse(BigDecimal.ZERO);
    var scaled = name.equals(CPU) ? value.movePointRight(3) : value;
    return scaled.compareTo(BigDecimal.valueOf(MOST)) > 0
        ? MOST
        : scaled.setScale(0, RoundingMode.UP).longValue();
  }
}
