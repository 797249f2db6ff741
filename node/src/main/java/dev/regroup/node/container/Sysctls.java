package dev.regroup.node.container;

import dev.regroup.node.env.ConfigFailure;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Kernel settings a pod may change for itself: those the kubelet calls safe, because they hold in
 * the pod's own namespaces only and hurt nobody else.
 */
public final class Sysctls {

  private static final Set<String> SAFE =
      Set.of(
          "kernel.shm_rmid_forced",
          "net.ipv4.ip_local_port_range",
          "net.ipv4.ip_local_reserved_ports",
          "net.ipv4.ip_unprivileged_port_start",
          "net.ipv4.ping_group_range",
          "net.ipv4.tcp_fin_timeout",
          "net.ipv4.tcp_keepalive_intvl",
          "net.ipv4.tcp_keepalive_probes",
          "net.ipv4.tcp_keepalive_time",
          "net.ipv4.tcp_rmem",
          "net.ipv4.tcp_syncookies",
          "net.ipv4.tcp_wmem");

  private Sysctls() {}

  /** Why the node does not take the pod: it wants what would change more than the pod. */
  public static Optional<String> refusal(Pod pod) {
    try {
      of(pod);
      return Optional.empty();
    } catch (ConfigFailure e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /** By the name the kernel has them under, with slashes. */
  static Map<String, String> of(Pod pod) throws ConfigFailure {
    var settings = new LinkedHashMap<String, String>();
    var context = pod.getSpec().getSecurityContext();
    if (context == null) {
      return settings;
    }
    boolean hostNetwork = Boolean.TRUE.equals(pod.getSpec().getHostNetwork());
    boolean hostIpc = Boolean.TRUE.equals(pod.getSpec().getHostIPC());
    for (var sysctl : context.getSysctls()) {
      var name = sysctl.getName().replace('/', '.');
      boolean theHosts = name.startsWith("net.") ? hostNetwork : hostIpc;
      if (!SAFE.contains(name)) {
        throw new ConfigFailure("forbidden sysctl: \"%s\" not allowlisted".formatted(name));
      }
      if (theHosts) {
        throw new ConfigFailure(
            "forbidden sysctl: \"%s\" not allowed with host %s enabled"
                .formatted(name, name.startsWith("net.") ? "net" : "ipc"));
      }
      settings.put(name.replace('.', '/'), sysctl.getValue());
    }
    return settings;
  }
}
