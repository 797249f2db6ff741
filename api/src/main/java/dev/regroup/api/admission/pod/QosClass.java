package dev.regroup.api.admission.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.Trees;
import dev.regroup.api.schema.Quantity;
import java.util.List;

/** How a pod's requests and limits are classed: who is ended first when memory is short. */
public enum QosClass {
  GUARANTEED("Guaranteed"),
  BURSTABLE("Burstable"),
  BEST_EFFORT("BestEffort");

  private final String wireName;

  QosClass(String wireName) {
    this.wireName = wireName;
  }

  public String wireName() {
    return wireName;
  }

  public static QosClass of(JsonNode spec) {
    boolean asksForSomething = false;
    boolean guaranteed = true;
    for (String list : List.of("containers", "initContainers")) {
      for (ObjectNode container : Trees.objects(spec, list)) {
        for (String resource : List.of("cpu", "memory")) {
          String request = Trees.text(container, "resources", "requests", resource);
          String limit = Trees.text(container, "resources", "limits", resource);
          boolean limited = positive(limit);
          asksForSomething |= positive(request) || limited;
          guaranteed &= limited && (request.isEmpty() || equal(request, limit));
        }
      }
    }
    if (!asksForSomething) {
      return BEST_EFFORT;
    }
    return guaranteed ? GUARANTEED : BURSTABLE;
  }

  private static boolean positive(String quantity) {
    return Quantity.of(quantity).filter(q -> q.amount().signum() > 0).isPresent();
  }

  private static boolean equal(String a, String b) {
    return Quantity.of(a)
        .flatMap(x -> Quantity.of(b).map(y -> x.amount().compareTo(y.amount()) == 0))
        .orElse(false);
  }
}
