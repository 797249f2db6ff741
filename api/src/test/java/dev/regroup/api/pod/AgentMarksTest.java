package dev.regroup.api.pod;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgentMarksTest {

  private static final String SIDECAR =
      """
      {"name":"agent","restartPolicy":"%s","restartPolicyRules":[
        {"action":"Restart"},{"action":"%s"}]}
      """;
  private static final String WORKER =
      """
      {"name":"worker","env":[{"name":"A"},{"name":"%s"}]}
      """;

  @ParameterizedTest
  @CsvSource(
      nullValues = "none",
      textBlock =
          """
          Always,  RestartAllContainers, A,              agent
          Always,  RestartAllContainers, WORKER_COMMAND, agent
          Always,  Restart,              WORKER_COMMAND, worker
          Never,   RestartAllContainers, WORKER_COMMAND, worker
          Never,   RestartAllContainers, A,              none
          Always,  Restart,              A,              none
          """)
  @DisplayName("JS-57a: a sidecar that restarts all containers, else who runs the worker")
  void an_agent_is_known_by_its_marks(String policy, String action, String variable, String agent) {
    var spec =
        Wire.tree(
            "{\"initContainers\":[{\"name\":\"init\"},%s],\"containers\":[%s]}"
                .formatted(SIDECAR.formatted(policy, action), WORKER.formatted(variable)));

    var found = AgentMarks.find(spec);

    assertThat(found.map(container -> container.path("name").asText()).orElse(null))
        .isEqualTo(agent);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {}
          {"initContainers":null,"containers":7}
          {"initContainers":[null,1,{}],"containers":[{"env":{}},{"env":[null]}]}
          """)
  @DisplayName("JS-57a: an odd pod has no agent")
  void an_odd_pod_has_no_agent(String spec) {
    assertThat(AgentMarks.find(Wire.tree(spec))).isEmpty();
  }
}
