package dev.regroup.control.endpoints;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import dev.regroup.control.endpoints.SliceChange.Content;
import dev.regroup.control.endpoints.SlicePlan.Endpoint;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SliceChangeTest {
  private static final JsonNode OLD = ports(8080);
  private static final JsonNode NEW = ports(9090);

  @Test
  void nothing_is_written_when_nothing_changed() {
    assertThat(
            SliceChange.plan(
                Map.of(OLD, List.of(endpoint(1))),
                Map.of("s", new Content(OLD, List.of(endpoint(1))))))
        .isEmpty();
  }

  @Test
  void pods_with_other_numbers_for_a_name_are_in_slices_of_their_own() {
    var wanted = new LinkedHashMap<JsonNode, List<Endpoint>>();
    wanted.put(OLD, List.of(endpoint(1)));
    wanted.put(NEW, List.of(endpoint(2)));

    assertThat(SliceChange.plan(wanted, Map.of("s", new Content(OLD, List.of(endpoint(1))))))
        .containsExactly(new SliceChange.Create(new Content(NEW, List.of(endpoint(2)))));
  }

  @Test
  void a_change_of_ports_rewrites_the_slice() {
    assertThat(
            SliceChange.plan(
                Map.of(NEW, List.of(endpoint(1))),
                Map.of("s", new Content(OLD, List.of(endpoint(1))))))
        .containsExactly(new SliceChange.Update("s", new Content(NEW, List.of(endpoint(1)))));
  }

  @Test
  void a_slice_with_ports_nobody_serves_any_more_goes() {
    var present = new LinkedHashMap<String, Content>();
    present.put("s", new Content(OLD, List.of(endpoint(1))));
    present.put("t", new Content(NEW, List.of(endpoint(2))));

    assertThat(SliceChange.plan(Map.of(NEW, List.of(endpoint(1), endpoint(2))), present))
        .containsExactly(
            new SliceChange.Update("t", new Content(NEW, List.of(endpoint(2), endpoint(1)))),
            new SliceChange.Delete("s"));
  }

  private static JsonNode ports(int number) {
    return Wire.tree("{\"ports\":[{\"name\":\"p\",\"port\":%d}]}".formatted(number)).path("ports");
  }

  private static Endpoint endpoint(int i) {
    return new Endpoint("uid-" + i, "pod-" + i, "10.0.0." + i, "", "node", true, true, false);
  }
}
