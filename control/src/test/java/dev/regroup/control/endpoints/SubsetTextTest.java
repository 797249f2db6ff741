package dev.regroup.control.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import dev.regroup.control.endpoints.SlicePlan.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SubsetTextTest {

  private static final JsonNode PORTS =
      Wire.tree("{\"ports\":[{\"name\":\"\",\"port\":80,\"protocol\":\"TCP\"}]}").path("ports");

  @Test
  void ready_and_waiting_pods_stand_apart_in_the_order_of_their_addresses() {
    var subsets =
        SubsetText.subsets(
            Map.of(
                PORTS,
                List.of(
                    endpoint("10.0.0.10", true, false),
                    endpoint("10.0.0.9", true, false),
                    endpoint("10.0.0.1", false, false))),
            "ns",
            false);

    assertThat(subsets).hasSize(1);
    assertThat(subsets.at("/0/addresses/0/ip").asText()).isEqualTo("10.0.0.9");
    assertThat(subsets.at("/0/addresses/1/ip").asText()).isEqualTo("10.0.0.10");
    assertThat(subsets.at("/0/notReadyAddresses/0/ip").asText()).isEqualTo("10.0.0.1");
    assertThat(subsets.at("/0/ports/0").toString()).isEqualTo("{\"port\":80,\"protocol\":\"TCP\"}");
  }

  @Test
  void a_pod_that_ends_is_only_shown_by_a_service_that_shows_all() {
    var ending = Map.of(PORTS, List.of(endpoint("10.0.0.1", true, true)));

    assertThat(SubsetText.subsets(ending, "ns", false)).isEmpty();
    assertThat(SubsetText.subsets(ending, "ns", true)).hasSize(1);
  }

  @Test
  void an_object_holds_a_thousand_addresses_at_most() {
    var many = new ArrayList<Endpoint>();
    for (int i = 0; i < 1_200; i++) {
      many.add(endpoint("10.0." + i / 250 + "." + i % 250, true, false));
    }

    assertThat(SubsetText.subsets(Map.of(PORTS, many), "ns", false).at("/0/addresses"))
        .hasSize(1_000);
  }

  private static Endpoint endpoint(String address, boolean ready, boolean terminating) {
    return new Endpoint("u-" + address, "p", address, "", "n", ready, ready, terminating);
  }
}
