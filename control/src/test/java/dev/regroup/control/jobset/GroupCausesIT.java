package dev.regroup.control.jobset;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.control.ControlPlane;
import dev.regroup.control.EveryRoad;
import dev.regroup.control.Road;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** The report of a group restart names who failed first, in whatever order the news came. */
@EveryRoad
class GroupCausesIT {

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
  void a_pod_that_is_back_before_anybody_saw_it_fail_is_named_js160() throws Exception {
    group.create(1, "\"maxRestarts\":3,");
    var pods = group.awaitPods(2);
    group.report(pods, 0);
    group.await(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 0);

    group.cameBack(pods.get(1), 1, 17, "2026-01-01T00:00:05Z");

    named(PlayedGroup.name(pods.get(1)), 17);
  }

  @Test
  void who_failed_first_is_named_also_by_a_controller_that_was_away_js142() throws Exception {
    group.create(2, "\"maxRestarts\":3,");
    var pods = group.awaitPods(4);
    group.report(pods, 0);
    group.await(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 0);

    plane.withoutControllers(() -> {
      group.cameBack(pods.get(0), 1, 9, "2026-01-01T00:00:07Z");
      group.cameBack(pods.get(2), 1, 23, "2026-01-01T00:00:05Z");
      group.cameBack(pods.get(3), 1, 7, "2026-01-01T00:00:09Z");
    });

    named(PlayedGroup.name(pods.get(2)), 23);
  }

  @Test
  void a_group_that_came_back_as_a_whole_says_why_too() throws Exception {
    group.create(1, "\"maxRestarts\":3,");
    var pods = group.awaitPods(2);
    group.report(pods, 0);
    group.await(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 0);

    plane.withoutControllers(() -> {
      group.cameBack(pods.get(0), 1, 9, "2026-01-01T00:00:07Z");
      group.cameBack(pods.get(1), 1, 23, "2026-01-01T00:00:05Z");
    });

    var status = group.await(one -> one.path("currentInPlaceRestartAttempt").asInt(-1) == 1);
    assertThat(status.at("/inPlaceRestarts/0/pod").asText())
        .isEqualTo(PlayedGroup.name(pods.get(1)));
    assertThat(status.at("/inPlaceRestarts/0/exitCode").asInt()).isEqualTo(23);
    var event = group.awaitEvent("InPlaceRestartStarted");
    assertThat(event).contains(PlayedGroup.name(pods.get(1)), "worker", "23");
  }

  private void named(String pod, int code) throws Exception {
    JsonNode status = group.await(one -> one.path("previousInPlaceRestartAttempt").asInt(-1) == 0);
    var first = status.path("inPlaceRestarts").get(0);
    assertThat(first.path("pod").asText()).isEqualTo(pod);
    assertThat(first.path("container").asText()).isEqualTo("worker");
    assertThat(first.path("exitCode").asInt()).isEqualTo(code);
    assertThat(group.awaitEvent("InPlaceRestartStarted")).contains(pod, "worker", "code " + code);
  }
}
