package dev.regroup.node.service;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A port of a service or of a slice. The two belong together when name and protocol are equal.
 *
 * @param name empty if it has none
 * @param nodePort the port of the node that leads here; 0 for none
 */
public record Port(String name, Protocol protocol, int number, int nodePort) {
  private static final int HIGHEST = 65_535;

  /** What travels; there is no relay for SCTP. */
  public enum Protocol {
    TCP,
    UDP,
    SCTP;

    private static Optional<Protocol> of(String wireName) {
      for (Protocol protocol : values()) {
        if (protocol.name().equals(wireName)) {
          return Optional.of(protocol);
        }
      }
      return Optional.empty();
    }
  }

  boolean servedBy(Port endpoints) {
    return name.equals(endpoints.name) && protocol == endpoints.protocol;
  }

  /** Reads {@code ports}; entries without a usable number or protocol are left out. */
  static List<Port> listOf(JsonNode ports) {
    var list = new ArrayList<Port>();
    for (JsonNode port : ports) {
      int number = port.path("port").asInt(0);
      Optional<Protocol> protocol = Protocol.of(port.path("protocol").asText("TCP"));
      if (number > 0 && number <= HIGHEST && protocol.isPresent()) {
        int nodePort = port.path("nodePort").asInt(0);
        boolean usable = nodePort > 0 && nodePort <= HIGHEST;
        list.add(
            new Port(port.path("name").asText(""), protocol.get(), number, usable ? nodePort : 0));
      }
    }
    return List.copyOf(list);
  }
}
