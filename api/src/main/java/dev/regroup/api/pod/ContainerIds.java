package dev.regroup.api.pod;

import dev.regroup.rules.pod.ContainerId;

/** Container ids on the wire: {@code regroup://<64 hexadecimal digits>}. */
final class ContainerIds {

  private static final String SCHEME = "regroup://";

  private ContainerIds() {}

  static String wire(ContainerId id) {
    return SCHEME + id.value();
  }

  static ContainerId read(String wire) {
    int end = wire.indexOf("://");
    return new ContainerId(end < 0 ? wire : wire.substring(end + 3));
  }
}
