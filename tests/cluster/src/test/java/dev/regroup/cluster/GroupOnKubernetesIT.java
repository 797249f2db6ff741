package dev.regroup.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.e2e.Kube;
import dev.regroup.e2e.RulesStory;
import dev.regroup.e2e.Workers;
import dev.regroup.testing.ExpectsThread;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A group restarts in place on Kubernetes' own kubelet, with each kind of agent, and ends as it
 * would locally: the manifest is the same file.
 */
@ExtendWith(SharedCluster.class)
@ExpectsThread(value = "program-.*", because = "all tests share one controller")
class GroupOnKubernetesIT {

  private RegroupOnCluster regroup;
  private Kube kube;

  @BeforeEach
  void regroup_is_installed(RealCluster cluster) throws Exception {
    regroup = cluster.regroup();
    kube = cluster.kube();
  }

  /** The proposal's own end-to-end test. */
  @ParameterizedTest
  @EnumSource
  void restarts_where_it_stands_when_one_worker_fails_as42(AgentKind kind) throws Exception {
    try (var group = regroup.group("restart-" + kind.word(), 2, kind)) {
      group.create(3);
      var before = group.awaitRunning(0);

      group.workers().exit(0, 1, 1);
      var after = group.awaitRunning(1);

      assertThat(Workers.identities(after)).isEqualTo(Workers.identities(before));
      assertThat(after.values())
          .allSatisfy(pod -> assertThat(Workers.restarts(pod)).isEqualTo(kind.restarts(1)));
      var status = group.workers().jobSet(kube).path("status");
      assertThat(status.path("restarts").asInt()).isZero();
      assertThat(status.path("previousInPlaceRestartAttempt").asInt(-1)).isZero();
      assertThat(status.path("currentInPlaceRestartAttempt").asInt(-1)).isEqualTo(1);

      group.workers().exitAll(1, 0);
      var done = group.awaitCondition("Completed");
      assertThat(done.path("status").path("terminalState").asText()).isEqualTo("Completed");
    }
  }

  @ParameterizedTest
  @EnumSource
  void fails_at_once_when_a_worker_exits_with_a_fatal_code_as56(AgentKind kind) throws Exception {
    try (var group = regroup.group("fatal-" + kind.word(), 2, kind)) {
      group.createWithFatalCode(3);
      var before = group.awaitRunning(0);

      group.workers().exit(0, 0, Workers.FATAL);
      var failed = group.awaitCondition("Failed");

      assertThat(Kube.condition(failed, "Failed").path("reason").asText())
          .isEqualTo("FailJobSetFailurePolicyAction");
      assertThat(failed.path("status").path("restarts").asInt()).isZero();
      assertThat(failed.path("status").has("previousInPlaceRestartAttempt"))
          .as("nobody was told to restart")
          .isFalse();
      assertThat(before).hasSize(2);
    }
  }

  @ParameterizedTest
  @EnumSource
  void fails_when_its_restarts_are_spent_as44(AgentKind kind) throws Exception {
    try (var group = regroup.group("budget-" + kind.word(), 2, kind)) {
      group.create(1);
      group.awaitRunning(0);
      group.workers().exit(0, 0, 1);
      group.awaitRunning(1);

      group.workers().exit(1, 1, 1);
      var failed = group.awaitCondition("Failed");

      assertThat(Kube.condition(failed, "Failed").path("reason").asText())
          .isEqualTo("ReachedMaxRestarts");
      assertThat(failed.path("status").path("currentInPlaceRestartAttempt").asInt()).isEqualTo(1);
    }
  }

  /** What no kubelet knows is done by the agent (ACT-01, ACT-02, ACT-05). */
  @Test
  void carries_out_rules_that_kubernetes_does_not_know() throws Exception {
    try (var group = regroup.group("rules", 2, AgentKind.PROCESS)) {
      group.createWithRules(3, RulesStory.RULES);

      RulesStory.tell(group.workers(), kube);
    }
  }
}
