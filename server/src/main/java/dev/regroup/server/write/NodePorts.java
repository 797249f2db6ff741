package dev.regroup.server.write;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.admission.field.FieldError;
import dev.regroup.api.admission.field.FieldPath;
import dev.regroup.api.admission.field.RefusalStatus;
import dev.regroup.server.objects.ObjectStore;
import dev.regroup.server.resource.Meta;
import dev.regroup.server.resource.ResourceType;
import dev.regroup.server.wire.Refused;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Gives the ports of services of type NodePort and LoadBalancer a port of the node, out of
 * Kubernetes' range. A change keeps what was given; what was given is not given again while this
 * process runs.
 */
final class NodePorts {
  private static final int FIRST = 30_000;
  private static final int LAST = 32_767;

  private final ObjectStore objects;
  private final ResourceType services;
  private final RandomGenerator random;
  private final Set<Integer> given = new HashSet<>();

  NodePorts(ObjectStore objects, ResourceType services, RandomGenerator random) {
    this.objects = objects;
    this.services = services;
    this.random = random;
  }

  /**
   * Fills in what is missing.
   *
   * @param old the service before the change; null for a new one
   */
  synchronized void assign(ObjectNode service, @Nullable ObjectNode old) throws Refused {
    health(service, old);
    var ports = service.path("spec").path("ports");
    if (!needsPorts(service.path("spec"))) {
      if (old != null && needsPorts(old.path("spec"))) {
        ports.forEach(port -> ((ObjectNode) port).remove("nodePort")); // they come with the type
      }
      return;
    }
    var before = old == null ? ports.path("none") : old.path("spec").path("ports");
    var used = used(service);
    for (int i = 0; i < ports.size(); i++) {
      if (ports.get(i) instanceof ObjectNode port) {
        keep(port, before);
        int wanted = port.path("nodePort").asInt(0);
        if (wanted != 0) {
          check(service, i, wanted, used, holds(before, wanted));
        } else {
          port.put("nodePort", next(used));
        }
        used.add(port.path("nodePort").asInt());
      }
    }
  }

  /** The port at which a load balancer asks whether a node has an endpoint. */
  private void health(ObjectNode service, @Nullable ObjectNode old) throws Refused {
    if (!(service.get("spec") instanceof ObjectNode spec)
        || !needsHealthPort(spec)
        || spec.path("healthCheckNodePort").asInt(0) != 0) {
      return;
    }
    int before = old == null ? 0 : old.path("spec").path("healthCheckNodePort").asInt(0);
    spec.put("healthCheckNodePort", before != 0 ? before : next(used(service)));
  }

  private static boolean needsHealthPort(JsonNode spec) {
    return spec.path("type").asText("").equals("LoadBalancer")
        && spec.path("externalTrafficPolicy").asText("").equals("Local");
  }

  private static boolean needsPorts(JsonNode spec) {
    return switch (spec.path("type").asText("")) {
      case "NodePort" -> true;
      case "LoadBalancer" -> spec.path("allocateLoadBalancerNodePorts").asBoolean(true);
      default -> false;
    };
  }

  private static void keep(ObjectNode port, JsonNode before) {
    if (port.path("nodePort").asInt(0) != 0) {
      return;
    }
    for (JsonNode old : before) {
      boolean same =
          old.path("port").asInt() == port.path("port").asInt()
              && old.path("protocol").asText("TCP").equals(port.path("protocol").asText("TCP"));
      if (same && old.path("nodePort").asInt(0) != 0) {
        port.put("nodePort", old.path("nodePort").asInt());
      }
    }
  }

  private static boolean holds(JsonNode before, int port) {
    for (JsonNode old : before) {
      if (old.path("nodePort").asInt(0) == port) {
        return true;
      }
    }
    return false;
  }

  private void check(ObjectNode service, int index, int port, Set<Integer> used, boolean kept)
      throws Refused {
    if (port < FIRST || port > LAST) {
      throw refused(
          service,
          index,
          port,
          "provided port is not in the valid range. The range of valid ports is %d-%d"
              .formatted(FIRST, LAST));
    }
    if (!kept && used.contains(port)) {
      throw refused(service, index, port, "provided port is already allocated");
    }
  }

  private Refused refused(ObjectNode service, int index, int port, String problem) {
    var path = FieldPath.of("spec", "ports").index(index).field("nodePort");
    var error = FieldError.invalid(path, port, problem);
    return new Refused(
        RefusalStatus.invalid(services.kind(), Meta.name(service), List.of(error)), List.of());
  }

  private int next(Set<Integer> used) throws Refused {
    for (int attempt = 0; attempt < 10 * (LAST - FIRST); attempt++) {
      int port = FIRST + random.nextInt(LAST - FIRST + 1);
      if (!used.contains(port) && given.add(port)) {
        return port;
      }
    }
    throw new Refused(
        dev.regroup.server.wire.Status.internalError(
            "failed to allocate a nodePort: range is full"));
  }

  /** Ports of all other services. */
  private Set<Integer> used(ObjectNode service) {
    var used = new HashSet<Integer>();
    for (var entry : objects.list(services, "").entries()) {
      var other = ObjectStore.tree(entry.value());
      boolean same =
          Meta.name(other).equals(Meta.name(service))
              && Meta.text(other, "namespace").equals(Meta.text(service, "namespace"));
      if (!same) {
        other.path("spec").path("ports").forEach(port -> used.add(port.path("nodePort").asInt(0)));
        used.add(other.path("spec").path("healthCheckNodePort").asInt(0));
      }
    }
    return used;
  }
}
