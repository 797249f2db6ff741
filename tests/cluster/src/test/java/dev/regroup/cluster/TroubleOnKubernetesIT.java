package dev.regroup.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.e2e.Kube;
import dev.regroup.e2e.Workers;
import dev.regroup.testing.ExpectsThread;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Any program of a cluster dies in the middle of a group restart and comes back: the group ends up
 * where it would have been, with one restart spent and every pod in its place.
 */
@ExtendWith(SharedCluster.class)
@ExpectsThread(value = "program-.*", because = "all tests share one controller")
class TroubleOnKubernetesIT {

  private RealCluster cluster;
  private RegroupOnCluster regroup;
  private Kube kube;

  @BeforeEach
  void regroup_is_installed(RealCluster shared) throws Exception {
    cluster = shared;
    regroup = shared.regroup();
    kube = shared.kube();
  }

  @AfterEach
  void everything_runs_again() throws Exception {
    regroup.ensureRunning();
  }

  @Test
  void the_controller_is_killed_before_and_after_each_of_its_writes_as52() throws Exception {
    try (var group = regroup.group("controller-dies", 2, AgentKind.PROCESS)) {
      group.create(1000);
      var before = group.awaitRunning(0);
      int attempt = 0;
      regroup.forgetReached();
      group.workers().exit(attempt, 0, 1);
      group.awaitRunning(++attempt);
      var points = regroup.reached();
      assertThat(points).contains("before-order", "after-order", "before-lift", "after-lift");
      System.out.println("the controller is killed at " + points);

      for (var point : points) {
        regroup.crashAt(point);
        group.workers().exit(attempt, attempt % 2, 1);
        regroup.awaitCrash(point);
        regroup.startController();
        assertInPlace(before, group.awaitRunning(++attempt), attempt, AgentKind.PROCESS);
      }
      assertThat(status(group).path("inPlaceRestartsCountTowardsMax").asInt()).isEqualTo(attempt);
    }
  }

  /** JS-142: what a start writes is found again, nothing is made twice. */
  @Test
  void the_controller_is_killed_before_and_after_each_write_of_a_start() throws Exception {
    regroup.forgetReached();
    try (var group = regroup.group("start-0", 2, AgentKind.PROCESS)) {
      group.create(3);
      group.awaitRunning(0);
    }
    var points = regroup.reached();
    assertThat(points).contains("before-create-job", "after-create-job", "after-lift");
    System.out.println("the controller is killed during a start at " + points);

    int round = 0;
    for (var point : points) {
      try (var group = regroup.group("start-" + ++round, 2, AgentKind.PROCESS)) {
        regroup.crashAt(point);
        group.create(3);
        regroup.awaitCrash(point);
        regroup.startController();

        var pods = group.awaitRunning(0);
        assertThat(pods).as("after a crash at %s", point).hasSize(2);
        assertThat(status(group).path("inPlaceRestartsCountTowardsMax").asInt()).isZero();
        assertThat(status(group).path("restarts").asInt()).isZero();
      }
    }
  }

  @Test
  void the_controller_is_away_when_a_worker_fails() throws Exception {
    try (var group = regroup.group("controller-away", 2, AgentKind.SIDECAR)) {
      group.create(3);
      var before = group.awaitRunning(0);
      regroup.killController();

      group.workers().exit(0, 0, 1);
      group.awaitAhead(1);
      regroup.startController();

      assertInPlace(before, group.awaitRunning(1), 1, AgentKind.SIDECAR);
    }
  }

  @Test
  void the_api_server_is_killed_in_the_middle() throws Exception {
    for (var kind : AgentKind.values()) {
      try (var group = regroup.group("server-dies-" + kind.word(), 2, kind)) {
        group.create(3);
        var before = group.awaitRunning(0);

        group.workers().exit(0, 1, 1);
        cluster.daemon(RealCluster.Part.API_SERVER).kill();
        cluster.daemon(RealCluster.Part.API_SERVER).start();
        cluster.awaitApi();

        assertInPlace(before, group.awaitRunning(1), 1, kind);
      }
    }
  }

  @Test
  void the_kubelet_is_killed_in_the_middle() throws Exception {
    try (var group = regroup.group("kubelet-dies", 2, AgentKind.SIDECAR)) {
      group.create(3);
      var before = group.awaitRunning(0);

      group.workers().exit(0, 1, 1);
      cluster.daemon(RealCluster.Part.KUBELET).kill();
      cluster.daemon(RealCluster.Part.KUBELET).start();

      var after = group.awaitRunning(1);
      assertThat(Workers.identities(after)).isEqualTo(Workers.identities(before));
      assertThat(status(group).path("inPlaceRestartsCountTowardsMax").asInt()).isEqualTo(1);
    }
  }

  @Test
  void an_agent_is_killed_at_the_barrier_as53() throws Exception {
    try (var group = regroup.group("agent-dies", 2, AgentKind.SIDECAR)) {
      group.create(3);
      var before = group.awaitRunning(0);
      regroup.killController(); // nobody lifts the barrier
      group.workers().exit(0, 0, 1);
      var failed = group.awaitAhead(1);

      group.killAgent(failed);
      group.awaitAgentRestarts(failed, 2);
      regroup.startController();

      var after = group.awaitRunning(1);
      assertThat(Workers.identities(after)).isEqualTo(Workers.identities(before));
      assertThat(status(group).path("inPlaceRestartsCountTowardsMax").asInt()).isEqualTo(1);
    }
  }

  private static void assertInPlace(
      Map<String, JsonNode> before, Map<String, JsonNode> after, int attempt, AgentKind kind) {
    assertThat(Workers.identities(after)).isEqualTo(Workers.identities(before));
    assertThat(after.values())
        .allSatisfy(pod -> assertThat(Workers.restarts(pod)).isEqualTo(kind.restarts(attempt)));
  }

  private JsonNode status(Group group) throws Exception {
    return group.workers().jobSet(kube).path("status");
  }
}
