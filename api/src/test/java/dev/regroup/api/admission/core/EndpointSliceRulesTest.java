package dev.regroup.api.admission.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import dev.regroup.api.admission.field.FieldError;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EndpointSliceRulesTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "IPv4 | 127.0.0.1   | may not be in the loopback range (127.0.0.0/8, ::1/128)",
        "IPv6 | ::1         | may not be in the loopback range (127.0.0.0/8, ::1/128)",
        "IPv4 | 169.254.1.1 | may not be in the link-local range (169.254.0.0/16, fe80::/10)"
      })
  void an_address_must_be_reachable_from_elsewhere(String type, String ip, String problem) {
    var slice =
        Wire.tree(
            "{\"addressType\":\"%s\",\"endpoints\":[{\"addresses\":[\"%s\"]}]}"
                .formatted(type, ip));

    assertThat(new EndpointSliceRules().check(slice, null))
        .extracting(FieldError::toString)
        .containsExactly(
            "endpoints[0].addresses[0]: Invalid value: \"%s\": %s".formatted(ip, problem));
  }
}
