package dev.regroup.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** JS-132b: the kind of agent where nobody names one. */
class ClusterAbilitiesTest {

  @ParameterizedTest
  @CsvSource({
    "v1.36.3, 3, 0, sidecar",
    "v1.37.0-alpha.1, 1, 0, sidecar",
    "v1.36.0+k3s1, 0, 0, sidecar",
    "v1.36.3, 2, 1, process",
    "v1.35.9, 3, 0, process",
    "v2.0.0, 1, 0, sidecar",
    "nonsense, 1, 0, process",
  })
  void a_sidecar_needs_a_server_and_nodes_that_restart_all_containers(
      String server, int capable, int others, String kind) {
    var nodes = new ArrayList<NodeAbility>();
    for (int i = 0; i < capable + others; i++) {
      nodes.add(new NodeAbility("v1.36.3", i < capable));
    }

    assertThat(ClusterAbilities.of(server, nodes).agentKind()).isEqualTo(kind);
  }

  @Test
  void a_node_says_what_it_can_do() {
    var declares =
        Wire.tree(
            "{\"status\":{\"declaredFeatures\":[\"RestartAllContainersOnContainerExits\"],"
                + "\"nodeInfo\":{\"kubeletVersion\":\"v1.36.3\"}}}");

    assertThat(NodeAbility.of(declares)).isEqualTo(new NodeAbility("v1.36.3", true));
    assertThat(NodeAbility.of(Wire.object())).isEqualTo(new NodeAbility("", false));
  }
}
