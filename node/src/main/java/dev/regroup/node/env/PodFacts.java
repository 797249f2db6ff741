package dev.regroup.node.env;

import java.math.BigDecimal;
import java.util.List;

/**
 * What only the node knows about a pod when a container of it is described.
 *
 * @param podIp empty while the pod has no address
 * @param allocatableCpu cores, the answer to a limit that was not set
 * @param allocatableMemory bytes, the answer to a limit that was not set
 */
public record PodFacts(
    String nodeName,
    String hostIp,
    String podIp,
    BigDecimal allocatableCpu,
    BigDecimal allocatableMemory) {

  List<String> podIps() {
    return podIp.isEmpty() ? List.of() : List.of(podIp);
  }
}
