package dev.regroup.control.endpoints;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.control.endpoints.SlicePlan.Endpoint;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One write to the slices of a service. All endpoints of a slice serve the same ports, so pods that
 * give a name different numbers are in different slices.
 */
sealed interface SliceChange {

  /** What a slice holds. */
  record Content(JsonNode ports, List<Endpoint> endpoints) {}

  record Create(Content content) implements SliceChange {}

  record Update(String slice, Content content) implements SliceChange {}

  record Delete(String slice) implements SliceChange {}

  /**
   * What to write so that the slices hold exactly this.
   *
   * @param wanted endpoints by the ports they serve; at least one entry
   * @param present slices by name
   */
  static List<SliceChange> plan(
      Map<JsonNode, List<Endpoint>> wanted, Map<String, Content> present) {
    var byPorts = new LinkedHashMap<JsonNode, Map<String, List<Endpoint>>>();
    wanted.keySet().forEach(ports -> byPorts.put(ports, new LinkedHashMap<>()));
    var strays = new ArrayDeque<String>(); // slices with ports nobody serves any more
    present.forEach((name, content) -> {
      var group = byPorts.get(content.ports());
      if (group == null) {
        strays.add(name);
      } else {
        group.put(name, content.endpoints());
      }
    });
    var changes = new ArrayList<SliceChange>();
    wanted.forEach((ports, endpoints) -> {
      var group = byPorts.getOrDefault(ports, Map.of());
      var reused = new HashSet<String>();
      if (group.isEmpty() && !strays.isEmpty()) { // a change of ports keeps the slice
        String stray = strays.remove();
        reused.add(stray);
        group =
            Map.of(stray, present.getOrDefault(stray, new Content(ports, List.of())).endpoints());
      }
      var plan = SlicePlan.of(endpoints, group);
      plan.delete().forEach(name -> changes.add(new Delete(name)));
      group.forEach((name, now) -> {
        var update = plan.update().get(name);
        if (update != null || (reused.contains(name) && !plan.delete().contains(name))) {
          changes.add(new Update(name, new Content(ports, update == null ? now : update)));
        }
      });
      plan.create().forEach(content -> changes.add(new Create(new Content(ports, content))));
    });
    strays.forEach(name -> changes.add(new Delete(name)));
    return changes;
  }
}
