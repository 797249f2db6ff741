package dev.regroup.api.admission.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.FieldError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EndpointsRulesTest {
  private final EndpointsRules rules = new EndpointsRules();

  @Test
  void a_port_without_a_protocol_is_tcp() {
    var endpoints = endpoints("10.1.2.3", "{\"port\":80}");

    rules.fill(endpoints);

    assertThat(endpoints.at("/subsets/0/ports/0/protocol").asText()).isEqualTo("TCP");
    assertThat(rules.check(endpoints, null)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "127.0.0.1   | may not be in the loopback range (127.0.0.0/8, ::1/128)",
        "0.0.0.0     | may not be unspecified (0.0.0.0)",
        "169.254.1.1 | may not be in the link-local range (169.254.0.0/16, fe80::/10)",
        "fe80::1     | may not be in the link-local range (169.254.0.0/16, fe80::/10)",
        "224.0.0.9   | may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"
      })
  void an_address_must_be_reachable_from_elsewhere(String ip, String problem) {
    assertThat(rules.check(endpoints(ip, "{\"port\":1,\"protocol\":\"TCP\"}"), null))
        .extracting(FieldError::toString)
        .containsExactly(
            "subsets[0].addresses[0].ip: Invalid value: \"%s\": %s".formatted(ip, problem));
  }

  @Test
  void every_other_mistake_is_named_too() {
    var bad = endpoints("x", "{\"port\":0,\"protocol\":\"TCP\"},{\"port\":1,\"protocol\":\"Y\"}");
    var empty = Wire.tree("{\"subsets\":[{\"ports\":[]}]}");

    assertThat(rules.check(bad, null))
        .extracting(error -> error.path().toString())
        .containsExactly(
            "subsets[0].addresses[0].ip",
            "subsets[0].addresses[0].ip",
            "subsets[0].ports[0].name",
            "subsets[0].ports[0].port",
            "subsets[0].ports[1].name",
            "subsets[0].ports[1].protocol");
    assertThat(rules.check(empty, null))
        .extracting(FieldError::toString)
        .containsExactly(
            "subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`");
  }

  private static ObjectNode endpoints(String ip, String ports) {
    return Wire.tree(
        "{\"subsets\":[{\"addresses\":[{\"ip\":\"%s\"}],\"ports\":[%s]}]}".formatted(ip, ports));
  }
}
