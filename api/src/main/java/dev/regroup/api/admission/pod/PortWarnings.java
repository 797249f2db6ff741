package dev.regroup.api.admission.pod;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.tree.Trees;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Ports of a pod that get in each other's way: same number, or same name. */
final class PortWarnings {

  private record Port(FieldPath path, ObjectNode port) {
    String hostIp() {
      return Trees.text(port, "hostIP");
    }

    long hostPort() {
      return Trees.number(port, "hostPort").orElse(0);
    }

    String key() {
      return port.path("containerPort").asInt() + "/" + Trees.text(port, "protocol");
    }
  }

  private final List<Port> ports = new ArrayList<>();
  private final List<String> warnings;

  PortWarnings(JsonNode spec, FieldPath path, List<String> warnings) {
    this.warnings = warnings;
    for (String list : List.of("initContainers", "containers", "ephemeralContainers")) {
      var containers = Trees.objects(spec, list);
      for (int i = 0; i < containers.size(); i++) {
        var own = Trees.objects(containers.get(i), "ports");
        for (int j = 0; j < own.size(); j++) {
          ports.add(new Port(path.field(list).index(i).field("ports").index(j), own.get(j)));
        }
      }
    }
  }

  void add() {
    for (int i = 0; i < ports.size(); i++) {
      for (Port earlier : ports.subList(0, i)) {
        if (earlier.key().equals(ports.get(i).key())) {
          number(ports.get(i), earlier);
        }
      }
    }
    Map<String, FieldPath> named = new HashMap<>();
    for (Port port : ports) {
      String name = Trees.text(port.port(), "name");
      FieldPath first = name.isEmpty() ? null : named.putIfAbsent(name, port.path());
      if (first != null) {
        warnings.add(
            ("%s: duplicate port name \"%s\" with %s, services and probes that select ports by"
                    + " name will use %s")
                .formatted(port.path(), name, first, first));
      }
    }
  }

  private void number(Port port, Port earlier) {
    boolean sameIp = port.hostIp().equals(earlier.hostIp());
    boolean samePort = port.hostPort() == earlier.hostPort();
    String what;
    if (sameIp && samePort) {
      what = "duplicate";
    } else if (port.hostPort() == 0 || earlier.hostPort() == 0) {
      what = "overlapping";
    } else if (samePort && port.hostIp().isEmpty() != earlier.hostIp().isEmpty()) {
      what = "dangerously ambiguous";
    } else {
      return;
    }
    warnings.add(port.path() + ": " + what + " port definition with " + earlier.path());
  }
}
