package dev.regroup.control.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import org.junit.jupiter.api.Test;

class TargetPortsTest {

  private static final String POD =
      """
      {"containers": [
         {"name": "a", "ports": [{"name": "http", "containerPort": 8080},
                                 {"name": "dns", "containerPort": 5353, "protocol": "UDP"},
                                 {"containerPort": 1}]},
         {"name": "b", "ports": [{"name": "http", "containerPort": 9}]}],
       "initContainers": [
         {"name": "sidecar", "restartPolicy": "Always", "ports": [{"name": "metrics", "containerPort": 9100}]},
         {"name": "once", "ports": [{"name": "gone", "containerPort": 7}]}]}
      """;

  @Test
  void a_name_means_the_pods_port_of_that_name_and_protocol() {
    assertThat(resolve("{'port': 80, 'targetPort': 'http', 'name': 'web', 'protocol': 'TCP'}"))
        .isEqualTo("[{'name':'web','port':8080,'protocol':'TCP'}]");
    assertThat(resolve("{'port': 53, 'targetPort': 'dns', 'protocol': 'UDP'}"))
        .isEqualTo("[{'name':'','port':5353,'protocol':'UDP'}]");
    assertThat(resolve("{'port': 53, 'targetPort': 'dns', 'protocol': 'TCP'}")).isEqualTo("[]");
  }

  @Test
  void a_number_means_itself_and_nothing_means_the_services_own() {
    assertThat(resolve("{'port': 80, 'targetPort': 8000}"))
        .isEqualTo("[{'name':'','port':8000,'protocol':'TCP'}]");
    assertThat(resolve("{'port': 80}")).isEqualTo("[{'name':'','port':80,'protocol':'TCP'}]");
  }

  @Test
  void sidecars_have_ports_but_other_init_containers_have_none() {
    assertThat(resolve("{'port': 80, 'targetPort': 'metrics'}"))
        .isEqualTo("[{'name':'','port':9100,'protocol':'TCP'}]");
    assertThat(resolve("{'port': 80, 'targetPort': 'gone'}")).isEqualTo("[]");
  }

  @Test
  void what_is_said_about_the_protocol_travels_along() {
    assertThat(resolve("{'port': 80, 'appProtocol': 'kubernetes.io/h2c'}"))
        .isEqualTo("[{'name':'','port':80,'protocol':'TCP','appProtocol':'kubernetes.io/h2c'}]");
  }

  private static String resolve(String port) {
    var service = Wire.tree("{\"ports\": [" + port.replace('\'', '"') + "]}").path("ports");
    return TargetPorts.resolve(service, TargetPorts.of(Wire.tree(POD)))
        .toString()
        .replace('"', '\'');
  }
}
