package dev.regroup.control.jobset;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.client.ObjectKey;
import dev.regroup.control.ControlPlane;
import dev.regroup.control.EveryRoad;
import dev.regroup.control.Road;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/**
 * A failure that a Job decides about goes to the failure policy and never to the budget (JS-160b),
 * with the real controllers of Jobs and JobSets, whose watches race each other.
 */
@EveryRoad
class PolicyFirstIT {

  private static final int ROUNDS = 10;
  private static final String FAIL_JOB =
      """
      "podFailurePolicy":{"rules":[{"action":"FailJob",
        "onExitCodes":{"operator":"In","values":[3]}}]},
      """;

  @Parameter Road road;
  @TempDir Path directory;

  private ControlPlane plane;
  private PlayedGroup group;

  @BeforeEach
  void start() throws Exception {
    plane = new ControlPlane(directory, road);
    group = new PlayedGroup(plane.admin());
  }

  @AfterEach
  void stop() throws Exception {
    plane.close();
  }

  @Test
  void a_fatal_code_reaches_fail_jobset_although_no_restart_is_left_as56() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      var status = endOf("fail-" + round, 0, "FailJobSet");

      assertThat(condition(status, "Failed").path("reason").asText())
          .as("round %d: %s", round, status)
          .isEqualTo("FailJobSetFailurePolicyAction");
      assertThat(status.has("previousInPlaceRestartAttempt")).isFalse();
    }
  }

  @Test
  void a_fatal_code_restarts_the_jobset_although_no_restart_is_left_as58() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      var status = endOf("again-" + round, 0, "RestartJobSetAndIgnoreMaxRestarts");

      assertThat(status.path("restarts").asInt()).as("round %d: %s", round, status).isEqualTo(1);
      assertThat(status.path("terminalState").asText()).isEmpty();
      assertThat(status.path("inPlaceRestartsCountTowardsMax").asInt()).isZero();
    }
  }

  @Test
  void nobody_is_told_to_restart_before_the_jobset_fails_although_restarts_are_left()
      throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      var status = endOf("left-" + round, 5, "FailJobSet");

      assertThat(status.has("previousInPlaceRestartAttempt")).as("round %d", round).isFalse();
      assertThat(status.path("inPlaceRestarts")).isEmpty();
      assertThat(condition(status, "Failed").path("reason").asText())
          .isEqualTo("FailJobSetFailurePolicyAction");
    }
  }

  /** One of two workers ends with the fatal code; returns the status once the policy has acted. */
  private JsonNode endOf(String name, int maxRestarts, String action) throws Exception {
    var policy =
        """
        "maxRestarts":%d,"rules":[{"action":"%s","onJobFailureReasons":["PodFailurePolicy"]}],
        """
            .formatted(maxRestarts, action);
    group.create(name, 1, policy, FAIL_JOB);
    var key = new ObjectKey("default", name);
    var pods = group.awaitPods(name, 2);
    group.report(pods, 0);
    group.await(key, status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 0);
    group.failed(pods.getFirst(), 3); // its Job deletes the other one
    return group.await(
        key, status -> status.has("terminalState") || status.path("restarts").asInt() > 0);
  }

  private static JsonNode condition(JsonNode status, String type) {
    for (var condition : status.path("conditions")) {
      if (condition.path("type").asText().equals(type)) {
        return condition;
      }
    }
    throw new AssertionError("no condition " + type + " in " + status);
  }
}
