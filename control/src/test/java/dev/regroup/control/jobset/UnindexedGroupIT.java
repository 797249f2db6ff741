package dev.regroup.control.jobset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.control.ControlPlane;
import dev.regroup.control.EveryRoad;
import dev.regroup.control.Road;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** Groups whose pods have no completion index (JS-135a), with the real controllers and server. */
@EveryRoad
class UnindexedGroupIT {

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
  void pods_without_index_start_and_restart_together_js135a() throws Exception {
    group.create("train", 2, "\"maxRestarts\":3,", "\"completionMode\":\"NonIndexed\",");
    var pods = group.awaitPods(4);
    group.report(pods.subList(0, 3), 0);
    group.report(pods.subList(3, 4), 0);
    group.await(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 0);

    group.restarting(pods.get(3), 5);
    var ordered = group.await(one -> one.path("previousInPlaceRestartAttempt").asInt(-1) == 0);
    group.report(pods, 1);

    assertThat(ordered.at("/inPlaceRestarts/0/pod").asText())
        .isEqualTo(PlayedGroup.name(pods.get(3)));
    group.await(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 1);
  }
}
