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

  /** A probe or hook names a port that its container does not list. */
  static final class UnknownPort extends Exception {
    UnknownPort(String name) {
      super("strconv.Atoi: parsing \"" + name + "\": invalid syntax"); // the kubelet's words
    }
  }

  /** A number, or the name of one of the container's ports. */
  int port(IntOrString port) throws UnknownPort {
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
      throw new UnknownPort(name);
    }
  }
}
