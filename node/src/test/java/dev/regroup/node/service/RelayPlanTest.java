package dev.regroup.node.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RelayPlanTest {

  private static final String TWO_PORTS =
      """
      {"spec": {"clusterIP": "10.96.7.7", "ports": [
        {"name": "web", "port": 80, "targetPort": "http", "protocol": "TCP"},
        {"name": "log", "port": 514, "protocol": "UDP"}]}}
      """;

  @Test
  void every_port_leads_to_the_endpoints_port_of_the_same_name() {
    var plan =
        plan(
            TWO_PORTS,
            """
            {"endpoints": [{"addresses": ["10.1.0.3"]}, {"addresses": ["10.1.0.4"]}],
             "ports": [{"name": "log", "port": 5140, "protocol": "UDP"},
                       {"name": "web", "port": 8080, "protocol": "TCP"}]}
            """);

    assertThat(plan)
        .containsExactly(
            Map.entry("CONNECTIONS 10.96.7.7:80", List.of("10.1.0.3:8080", "10.1.0.4:8080")),
            Map.entry("DATAGRAMS 10.96.7.7:514", List.of("10.1.0.3:5140", "10.1.0.4:5140")));
  }

  @Test
  void a_port_name_with_another_protocol_is_another_port() {
    assertThat(
            plan(
                TWO_PORTS,
                """
                {"endpoints": [{"addresses": ["10.1.0.3"]}],
                 "ports": [{"name": "web", "port": 8080, "protocol": "UDP"}]}
                """))
        .isEmpty();
  }

  @Test
  void slices_of_different_ports_are_put_together() {
    var plan =
        plan(
            "{\"spec\": {\"clusterIP\": \"10.96.7.7\", \"ports\": [{\"port\": 80}]}}",
            "{\"endpoints\": [{\"addresses\": [\"10.1.0.3\"]}], \"ports\": [{\"port\": 8080}]}",
            "{\"endpoints\": [{\"addresses\": [\"10.1.0.4\"]}], \"ports\": [{\"port\": 9090}]}");

    assertThat(plan)
        .containsExactly(
            Map.entry("CONNECTIONS 10.96.7.7:80", List.of("10.1.0.3:8080", "10.1.0.4:9090")));
  }

  @Test
  void only_ready_endpoints_count_and_nobody_listens_without_one() {
    assertThat(onePort("{\"ready\": false}", "{\"ready\": true}"))
        .containsExactly(Map.entry("CONNECTIONS 10.96.7.7:80", List.of("10.1.0.4:8080")));
    assertThat(onePort("{\"ready\": false}", "{\"ready\": false}")).isEmpty();
  }

  @Test
  void an_endpoint_that_ends_but_still_serves_counts_while_nobody_is_ready() {
    String leaving = "{\"ready\": false, \"serving\": true, \"terminating\": true}";

    assertThat(onePort(leaving, "{\"ready\": false}"))
        .containsExactly(Map.entry("CONNECTIONS 10.96.7.7:80", List.of("10.1.0.3:8080")));
    assertThat(onePort(leaving, "{\"ready\": true}"))
        .containsExactly(Map.entry("CONNECTIONS 10.96.7.7:80", List.of("10.1.0.4:8080")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"clusterIP\": \"None\", \"ports\": [{\"port\": 80}]}",
        "{\"type\": \"ExternalName\", \"externalName\": \"example.com\"}",
        "{\"clusterIP\": \"fd00::1\", \"ports\": [{\"port\": 80}]}",
        "{\"clusterIP\": \"10.96.7.7\", \"ports\": [{\"port\": 80, \"protocol\": \"SCTP\"}]}",
        "{\"clusterIP\": \"\"}"
      })
  void services_without_an_address_here_have_no_relay(String spec) {
    assertThat(
            plan(
                "{\"spec\": " + spec + "}",
                """
                {"endpoints": [{"addresses": ["10.1.0.3"]}],
                 "ports": [{"port": 8080, "protocol": "SCTP"}, {"port": 8080}]}
                """))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ClusterIP", "NodePort", "LoadBalancer"})
  void every_type_with_a_cluster_address_is_served_there(String type) {
    var plan =
        plan(
            """
            {"spec": {"type": "%s", "clusterIP": "10.96.7.7", "ports": [{"port": 80}]}}
            """
                .formatted(type),
            "{\"endpoints\": [{\"addresses\": [\"10.1.0.3\"]}], \"ports\": [{\"port\": 8080}]}");

    assertThat(plan).containsOnlyKeys("CONNECTIONS 10.96.7.7:80");
  }

  @Test
  void a_node_port_is_served_on_the_loopback_address_only() {
    var plan =
        plan(
            """
            {"spec": {"type": "NodePort", "clusterIP": "10.96.7.7",
                      "ports": [{"port": 80, "nodePort": 30080}]}}
            """,
            "{\"endpoints\": [{\"addresses\": [\"10.1.0.3\"]}], \"ports\": [{\"port\": 8080}]}");

    assertThat(plan)
        .containsExactly(
            Map.entry("CONNECTIONS 10.96.7.7:80", List.of("10.1.0.3:8080")),
            Map.entry("CONNECTIONS 127.0.0.1:30080", List.of("10.1.0.3:8080")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "127.8.9.1", "0.0.0.0", "169.254.169.254", "224.0.0.1"})
  void addresses_only_the_host_should_reach_are_no_endpoints(String address) {
    assertThat(
            plan(
                "{\"spec\": {\"clusterIP\": \"10.96.7.7\", \"ports\": [{\"port\": 80}]}}",
                "{\"endpoints\": [{\"addresses\": [\"%s\"]}], \"ports\": [{\"port\": 22}]}"
                    .formatted(address)))
        .isEmpty();
  }

  @Test
  void affinity_has_the_time_of_the_service_or_three_hours() {
    String slice = "{\"endpoints\": [{\"addresses\": [\"10.1.0.3\"]}], \"ports\": [{\"port\": 1}]}";

    assertThat(affinity("\"sessionAffinity\": \"None\"", slice)).isEqualTo(Duration.ZERO);
    assertThat(affinity("\"sessionAffinity\": \"ClientIP\"", slice)).isEqualTo(Duration.ofHours(3));
    assertThat(
            affinity(
                "\"sessionAffinity\": \"ClientIP\","
                    + " \"sessionAffinityConfig\": {\"clientIP\": {\"timeoutSeconds\": 7}}",
                slice))
        .isEqualTo(Duration.ofSeconds(7));
  }

  private static Duration affinity(String spec, String slice) {
    String service =
        "{\"spec\": {\"clusterIP\": \"10.96.7.7\", \"ports\": [{\"port\": 80}], %s}}"
            .formatted(spec);
    return RelayPlan.of(ServiceView.of(Wire.tree(service)), List.of(SliceView.of(Wire.tree(slice))))
        .relays()
        .values()
        .iterator()
        .next()
        .affinity();
  }

  private static Map<String, List<String>> onePort(String first, String second) {
    return plan(
        "{\"spec\": {\"clusterIP\": \"10.96.7.7\", \"ports\": [{\"port\": 80}]}}",
        """
        {"endpoints": [{"addresses": ["10.1.0.3"], "conditions": %s},
                       {"addresses": ["10.1.0.4"], "conditions": %s}],
         "ports": [{"port": 8080}]}
        """
            .formatted(first, second));
  }

  private static Map<String, List<String>> plan(String service, String... slices) {
    var plan =
        RelayPlan.of(
            ServiceView.of(Wire.tree(service)),
            Stream.of(slices).map(Wire::tree).map(SliceView::of).toList());
    var readable = new TreeMap<String, List<String>>();
    plan.relays()
        .forEach((front, backends) ->
            readable.put(
                front.toString(),
                backends.endpoints().stream().map(RelayPlanTest::readable).toList()));
    return readable;
  }

  private static String readable(InetSocketAddress address) {
    return address.getAddress().getHostAddress() + ":" + address.getPort();
  }
}
