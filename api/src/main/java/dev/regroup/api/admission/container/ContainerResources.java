package dev.regroup.api.admission.container;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.schema.Quantity;
import dev.regroup.api.tree.Trees;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the containers of a pod ask for together: regular containers and sidecars add up; an init
 * container runs alone beside the sidecars before it, so only the largest such moment counts.
 */
public final class ContainerResources {

  private ContainerResources() {}

  public static Map<String, Quantity> requests(JsonNode spec) {
    var regular = new TreeMap<String, Quantity>();
    Trees.objects(spec, "containers").forEach(container -> add(container, regular));
    var sidecars = new TreeMap<String, Quantity>();
    var peak = new TreeMap<String, Quantity>();
    for (ObjectNode container : Trees.objects(spec, "initContainers")) {
      var moment = new TreeMap<>(sidecars);
      add(container, moment);
      if (Trees.text(container, "restartPolicy").equals("Always")) {
        add(container, regular);
        add(container, sidecars);
      }
      moment.forEach((name, amount) -> peak.merge(name, amount, ContainerResources::larger));
    }
    peak.forEach((name, amount) -> regular.merge(name, amount, ContainerResources::larger));
    return regular;
  }

  private static void add(ObjectNode container, Map<String, Quantity> sum) {
    JsonNode requests = Trees.at(container, "resources", "requests");
    for (String name : Trees.keys(requests)) {
      Quantity.of(Trees.text(requests, name))
          .ifPresent(amount -> sum.merge(name, amount, ContainerResources::plus));
    }
  }

  private static Quantity plus(Quantity a, Quantity b) {
    return new Quantity(a.amount().add(b.amount()), a.format());
  }

  private static Quantity larger(Quantity a, Quantity b) {
    return a.amount().compareTo(b.amount()) >= 0 ? a : b;
  }
}
