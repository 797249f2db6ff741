package dev.regroup.node.service;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.Inet4Address;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What names, relays and environments need of a Service.
 *
 * @param kind how its name is answered
 * @param clusterIp its address, if it has one of IPv4
 * @param affinity how long a client stays with an endpoint ({@code sessionAffinity: ClientIP});
 *     zero if every connection is on its own
 */
public record ServiceView(
    Kind kind,
    Visibility visibility,
    Optional<Inet4Address> clusterIp,
    List<Port> ports,
    Duration affinity) {
  private static final long DEFAULT_AFFINITY = 10_800; // seconds, Kubernetes' own: 3 hours

  /** How the name of a service is answered. */
  public enum Kind {
    /** One address of its own. */
    CLUSTER_IP,
    /** The addresses of its pods, and a name for each. */
    HEADLESS,
    /** Known here, but answered nowhere: an alias for a name outside. */
    EXTERNAL
  }

  /** Which pods of a headless service are shown. */
  public enum Visibility {
    READY,
    /** {@code publishNotReadyAddresses}: a group must find its members before they are ready. */
    ALL
  }

  public ServiceView {
    ports = List.copyOf(ports);
  }

  public static ServiceView of(JsonNode service) {
    JsonNode spec = service.path("spec");
    String clusterIp = spec.path("clusterIP").asText("");
    Visibility visibility =
        spec.path("publishNotReadyAddresses").asBoolean() ? Visibility.ALL : Visibility.READY;
    return new ServiceView(
        kind(spec, clusterIp),
        visibility,
        Addresses4.parse(clusterIp),
        Port.listOf(spec.path("ports")),
        affinity(spec));
  }

  private static Kind kind(JsonNode spec, String clusterIp) {
    if (spec.path("type").asText("").equals("ExternalName")) {
      return Kind.EXTERNAL;
    }
    return clusterIp.equals("None") ? Kind.HEADLESS : Kind.CLUSTER_IP;
  }

  private static Duration affinity(JsonNode spec) {
    if (!spec.path("sessionAffinity").asText("").equals("ClientIP")) {
      return Duration.ZERO;
    }
    JsonNode timeout = spec.path("sessionAffinityConfig").path("clientIP").path("timeoutSeconds");
    return Duration.ofSeconds(timeout.asLong(DEFAULT_AFFINITY));
  }
}
