package dev.regroup.node.env;

import dev.regroup.client.ObjectKey;
import dev.regroup.node.service.Port;
import dev.regroup.node.service.ServiceView;
import dev.regroup.node.service.Services;
import io.fabric8.kubernetes.api.model.Pod;
import java.net.Inet4Address;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The variables that tell a container where services are, as the kubelet makes them: always where
 * the API is, and unless the pod says {@code enableServiceLinks: false}, every service of its
 * namespace that has an address when the container starts. Pure.
 *
 * <pre>
 * WEB_SERVICE_HOST WEB_SERVICE_PORT WEB_SERVICE_PORT_&lt;NAME&gt;
 * WEB_PORT WEB_PORT_80_TCP WEB_PORT_80_TCP_PROTO WEB_PORT_80_TCP_PORT WEB_PORT_80_TCP_ADDR
 * </pre>
 */
public final class ServiceVariables {
  private static final ObjectKey API = new ObjectKey("default", "kubernetes");

  private ServiceVariables() {}

  public static Map<String, String> of(Services services, Pod pod) {
    var told = new TreeMap<String, ServiceView>();
    services.service(API).ifPresent(api -> told.put(API.name(), api));
    if (!Boolean.FALSE.equals(pod.getSpec().getEnableServiceLinks())) {
      services
          .in(pod.getMetadata().getNamespace())
          .forEach(service -> told.put(service.key().name(), service.value()));
    }
    var variables = new LinkedHashMap<String, String>();
    told.forEach((name, service) -> {
      if (service.kind() == ServiceView.Kind.CLUSTER_IP && !service.ports().isEmpty()) {
        service.clusterIp().ifPresent(address -> add(name, address, service.ports(), variables));
      }
    });
    return variables;
  }

  private static void add(
      String service, Inet4Address address, List<Port> ports, Map<String, String> variables) {
    String prefix = variable(service);
    String host = address.getHostAddress();
    variables.put(prefix + "_SERVICE_HOST", host);
    variables.put(prefix + "_SERVICE_PORT", String.valueOf(ports.getFirst().number()));
    for (Port port : ports) {
      if (!port.name().isEmpty()) {
        variables.put(
            prefix + "_SERVICE_PORT_" + variable(port.name()), String.valueOf(port.number()));
      }
    }
    variables.put(prefix + "_PORT", url(ports.getFirst(), host));
    for (Port port : ports) {
      String link = "%s_PORT_%d_%s".formatted(prefix, port.number(), port.protocol());
      variables.put(link, url(port, host));
      variables.put(link + "_PROTO", word(port));
      variables.put(link + "_PORT", String.valueOf(port.number()));
      variables.put(link + "_ADDR", host);
    }
  }

  private static String url(Port port, String host) {
    return word(port) + "://" + host + ":" + port.number();
  }

  private static String word(Port port) {
    return port.protocol().name().toLowerCase(Locale.ROOT);
  }

  /** {@code my-service} is told as {@code MY_SERVICE}. */
  private static String variable(String name) {
    return name.replace('-', '_').toUpperCase(Locale.ROOT);
  }
}
