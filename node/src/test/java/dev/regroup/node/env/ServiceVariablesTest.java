package dev.regroup.node.env;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.node.service.KnownServices;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The variables a kubelet gives, letter for letter. */
class ServiceVariablesTest {
  private static final String API =
      "{\"clusterIP\": \"10.96.0.1\", \"ports\": [{\"name\": \"https\", \"port\": 443}]}";

  private final KnownServices services = new KnownServices();

  @Test
  void the_api_is_told_to_every_pod() {
    services.put("default/kubernetes", API);
    services.put("default/other", "{\"clusterIP\": \"10.96.0.9\", \"ports\": [{\"port\": 1}]}");

    assertThat(ServiceVariables.of(services, pod("team", false)))
        .containsExactly(
            Map.entry("KUBERNETES_SERVICE_HOST", "10.96.0.1"),
            Map.entry("KUBERNETES_SERVICE_PORT", "443"),
            Map.entry("KUBERNETES_SERVICE_PORT_HTTPS", "443"),
            Map.entry("KUBERNETES_PORT", "tcp://10.96.0.1:443"),
            Map.entry("KUBERNETES_PORT_443_TCP", "tcp://10.96.0.1:443"),
            Map.entry("KUBERNETES_PORT_443_TCP_PROTO", "tcp"),
            Map.entry("KUBERNETES_PORT_443_TCP_PORT", "443"),
            Map.entry("KUBERNETES_PORT_443_TCP_ADDR", "10.96.0.1"));
    assertThat(ServiceVariables.of(services, pod("team", true)))
        .isEqualTo(ServiceVariables.of(services, pod("team", false)));
  }

  @Test
  void services_of_the_pods_namespace_are_told_with_all_their_ports() {
    services.put(
        "team/data-store2",
        """
        {"clusterIP": "10.96.3.4", "ports": [
          {"name": "web-ui", "port": 80, "targetPort": 8080},
          {"name": "dns", "port": 53, "protocol": "UDP"}]}
        """);

    assertThat(ServiceVariables.of(services, pod("team", null)))
        .containsExactly(
            Map.entry("DATA_STORE2_SERVICE_HOST", "10.96.3.4"),
            Map.entry("DATA_STORE2_SERVICE_PORT", "80"),
            Map.entry("DATA_STORE2_SERVICE_PORT_WEB_UI", "80"),
            Map.entry("DATA_STORE2_SERVICE_PORT_DNS", "53"),
            Map.entry("DATA_STORE2_PORT", "tcp://10.96.3.4:80"),
            Map.entry("DATA_STORE2_PORT_80_TCP", "tcp://10.96.3.4:80"),
            Map.entry("DATA_STORE2_PORT_80_TCP_PROTO", "tcp"),
            Map.entry("DATA_STORE2_PORT_80_TCP_PORT", "80"),
            Map.entry("DATA_STORE2_PORT_80_TCP_ADDR", "10.96.3.4"),
            Map.entry("DATA_STORE2_PORT_53_UDP", "udp://10.96.3.4:53"),
            Map.entry("DATA_STORE2_PORT_53_UDP_PROTO", "udp"),
            Map.entry("DATA_STORE2_PORT_53_UDP_PORT", "53"),
            Map.entry("DATA_STORE2_PORT_53_UDP_ADDR", "10.96.3.4"));
    assertThat(ServiceVariables.of(services, pod("team", false))).isEmpty();
    assertThat(ServiceVariables.of(services, pod("other", true))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"web, WEB", "my-web, MY_WEB", "a-b-c9, A_B_C9", "0web, 0WEB"})
  void names_become_variables(String service, String prefix) {
    services.put("team/" + service, "{\"clusterIP\": \"10.96.3.4\", \"ports\": [{\"port\": 7}]}");

    assertThat(ServiceVariables.of(services, pod("team", null)).keySet())
        .hasSize(7) // a port without a name has no variable of its own
        .allMatch(name -> name.startsWith(prefix + "_"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"clusterIP\": \"None\", \"ports\": [{\"port\": 7}]}",
        "{\"type\": \"ExternalName\", \"externalName\": \"example.com\"}",
        "{\"clusterIP\": \"\", \"ports\": [{\"port\": 7}]}"
      })
  void services_without_an_address_are_not_told(String spec) {
    services.put("team/web", spec);

    assertThat(ServiceVariables.of(services, pod("team", null))).isEmpty();
  }

  @Test
  void a_service_of_the_same_name_in_the_pods_namespace_wins() {
    services.put("default/kubernetes", API);
    services.put("team/kubernetes", "{\"clusterIP\": \"10.96.9.9\", \"ports\": [{\"port\": 7}]}");

    assertThat(ServiceVariables.of(services, pod("team", null)))
        .containsEntry("KUBERNETES_SERVICE_HOST", "10.96.9.9")
        .doesNotContainKey("KUBERNETES_SERVICE_PORT_HTTPS");
    assertThat(ServiceVariables.of(services, pod("team", false)))
        .containsEntry("KUBERNETES_SERVICE_HOST", "10.96.0.1");
  }

  private static Pod pod(String namespace, Boolean links) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("p")
        .withNamespace(namespace)
        .endMetadata()
        .withNewSpec()
        .withEnableServiceLinks(links)
        .endSpec()
        .build();
  }
}
