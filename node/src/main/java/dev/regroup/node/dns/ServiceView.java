package dev.regroup.node.dns;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.Inet4Address;
import java.util.Optional;

/**
 * What names need of a Service.
 *
 * @param kind how its name is answered
 * @param clusterIp its address, if it has one of IPv4
 */
record ServiceView(Kind kind, Visibility visibility, Optional<Inet4Address> clusterIp) {

  enum Kind {
    /** One address of its own. */
    CLUSTER_IP,
    /** The addresses of its pods, and a name for each. */
    HEADLESS,
    /** Known here, but answered nowhere: an alias for a name outside. */
    EXTERNAL
  }

  /** Which pods of a headless service are shown. */
  enum Visibility {
    READY,
    /** {@code publishNotReadyAddresses}: a group must find its members before they are ready. */
    ALL
  }

  static ServiceView of(JsonNode service) {
    JsonNode spec = service.path("spec");
    String clusterIp = spec.path("clusterIP").asText("");
    Visibility visibility =
        spec.path("publishNotReadyAddresses").asBoolean() ? Visibility.ALL : Visibility.READY;
    return new ServiceView(kind(spec, clusterIp), visibility, Addresses4.parse(clusterIp));
  }

  private static Kind kind(JsonNode spec, String clusterIp) {
    if (spec.path("type").asText("").equals("ExternalName")) {
      return Kind.EXTERNAL;
    }
    return clusterIp.equals("None") ? Kind.HEADLESS : Kind.CLUSTER_IP;
  }
}
