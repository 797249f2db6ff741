package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.JOB_SETS;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Groups with agents in their pods, added by the controller and run by Regroup's own node. Nothing
 * is applied before: account, role, binding and policy come with the first group (JS-149d).
 */
class AgentGroupsIT {

  @TempDir static Path folder;

  private static Cluster cluster;
  private static Kube kube;

  @BeforeAll
  static void start() throws Exception {
    Root.require();
    cluster = Cluster.up(folder);
    kube = cluster.kube();
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  /** JS-130, JS-132a, JS-132b, JS-166, AS-41, AS-42; a process agent restarts no container. */
  @ParameterizedTest
  @CsvSource({"sidecar, 1", "process, 0"})
  void one_worker_dies_and_all_go_on(String kind, int restarts) throws Exception {
    var place = new Workers.Place("host", kind, Workers.LIMIT);
    var group = new Workers(folder, "with-" + kind, 3, place);
    kube.create(JOB_SETS, group.manifest(1_000));
    var before = group.awaitRunning(kube, 0);

    group.exit(0, 1, 1);
    var after = group.awaitRunning(kube, 1);

    assertThat(Workers.identities(after)).isEqualTo(Workers.identities(before));
    assertThat(after.values())
        .allSatisfy(pod -> assertThat(Workers.restarts(pod)).isEqualTo(restarts));
    assertThat(group.jobSet(kube).path("status").path("restarts").asInt()).isZero();
    group.exitAll(1, 0);
    group.awaitCondition(kube, "Completed");
    assertThat(group.wrongs()).isEmpty();
  }

  /** JS-162: TLS would be most of the start of an agent on the machine of its API server. */
  @Test
  void a_sidecar_reaches_the_api_through_the_socket_of_its_node() throws Exception {
    var group =
        new Workers(folder, "by-socket", 1, new Workers.Place("host", "sidecar", Workers.LIMIT));
    kube.create(JOB_SETS, group.manifest(1_000));
    var pod = group.awaitRunning(kube, 0).values().iterator().next();

    kube.awaitText(
        "/api/v1/namespaces/default/pods/" + pod.at("/metadata/name").asText() + "/log",
        "container=in-place-restart-agent",
        log -> log.contains("through /in-place-restart-api/api"),
        Workers.LIMIT);
    group.exitAll(0, 0);
    group.awaitCondition(kube, "Completed");
  }

  /** JS-132h: the account is the user's, the role is bound to it. */
  @Test
  void an_account_of_the_users_own_gets_the_role() throws Exception {
    kube.create("/api/v1/namespaces/default/serviceaccounts", "{metadata: {name: mine}}");
    var group =
        new Workers(folder, "own-account", 2, new Workers.Place("host", "sidecar", Workers.LIMIT));
    kube.create(JOB_SETS, group.manifestWithAccount(3, "mine"));
    group.awaitRunning(kube, 0);

    group.exit(0, 1, 1);
    group.awaitRunning(kube, 1);

    group.exitAll(1, 0);
    group.awaitCondition(kube, "Completed");
    assertThat(group.wrongs()).isEmpty();
  }

  /** JS-149d: what the controller made keeps an agent to its own pod's attempt. */
  @Test
  void the_policy_that_keeps_agents_small_comes_with_them() throws Exception {
    var group =
        new Workers(folder, "policed", 1, new Workers.Place("host", "process", Workers.LIMIT));
    kube.create(JOB_SETS, group.manifest(3));
    group.awaitRunning(kube, 0);

    var binding =
        kube.get(
            "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings"
                + "/regroup-in-place-restart-agent");
    var role =
        kube.get("/apis/rbac.authorization.k8s.io/v1/clusterroles/regroup-in-place-restart-agent");

    assertThat(binding.path("spec").path("policyName").asText())
        .isEqualTo("regroup-in-place-restart-agent");
    assertThat(role.path("rules")).hasSize(2);
    group.exitAll(0, 0);
    group.awaitCondition(kube, "Completed");
  }

  /** ACT-01, ACT-02, ACT-05 by an agent that is the worker's parent. */
  @Test
  void rules_of_the_annotation_are_carried_out() throws Exception {
    var group =
        new Workers(folder, "ruled", 2, new Workers.Place("host", "process", Workers.LIMIT));
    kube.create(JOB_SETS, group.manifestWithRules(3, RulesStory.RULES));

    RulesStory.tell(group, kube);

    assertThat(group.wrongs()).isEmpty();
  }
}
