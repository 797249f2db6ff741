package dev.regroup.node.probe;

import dev.regroup.runtime.ContainerKey;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.IntOrString;

/**
 * The run of a container a handler is asked about.
 *
 * @param address the pod's, the default host of network handlers
 */
public record ProbeTarget(ContainerKey key, Container container, String address) {

  /** A number, or the name of one of the container's ports; 0 when there is no such port. */
  int port(IntOrString port) {
    if (port.getIntVal() != null) {
      return port.getIntVal();
    }
    var name = port.getStrVal() == null ? "" : port.getStrVal();
    for (var candidate : container.getPorts()) {
      if (name.equals(candidate.getName())) {
        return candidate.getContainerPort();
      }
    }
    try {
      return Integer.parseInt(name);
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
