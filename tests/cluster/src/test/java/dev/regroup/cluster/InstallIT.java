package dev.regroup.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.e2e.Kube;
import dev.regroup.e2e.Program;
import dev.regroup.e2e.Workers;
import dev.regroup.testing.ExpectsThread;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Regroup runs inside the cluster, from its own image, and leaves it again. */
@ExtendWith(SharedCluster.class)
@ExpectsThread(value = "program-.*", because = "all tests share one controller")
class InstallIT {

  private static final String PODS = "/api/v1/namespaces/" + RegroupOnCluster.NAMESPACE + "/pods";
  private static final String LEASES =
      "/apis/coordination.k8s.io/v1/namespaces/" + RegroupOnCluster.NAMESPACE + "/leases";

  private static final String BUDGETS =
      "/apis/policy/v1/namespaces/" + RegroupOnCluster.NAMESPACE + "/poddisruptionbudgets";

  private static final String OURS = "app.kubernetes.io%2Fpart-of%3Dregroup";

  private RealCluster cluster;
  private Kube kube;
  private RegroupOnCluster regroup;

  @BeforeEach
  void regroup_runs_outside_no_more(RealCluster shared) throws Exception {
    assumeTrue(Program.dist().isPresent(), "the image is made from the packaged program");
    cluster = shared;
    kube = shared.kube();
    regroup = shared.regroup();
    regroup.close();
  }

  @AfterEach
  void the_next_test_installs_it_again() {
    cluster.forgetRegroup();
  }

  @Test
  void runs_groups_from_its_own_pods_and_survives_the_loss_of_its_leader() throws Exception {
    regroup.importImage("controller");
    var said =
        RegroupOnCluster.run(
            "install", "--kubeconfig", cluster.kubeconfig().toString(), "--replicas", "2");
    assertThat(said).contains("deployment.apps/regroup-controller created");
    kube.awaitOne(
        LEASES,
        "regroup-controller",
        lease -> lease.at("/metadata/annotations/regroup.dev~1abilities").isTextual(),
        RegroupOnCluster.PATIENCE);
    assertThat(RegroupOnCluster.run("status", "--kubeconfig", cluster.kubeconfig().toString()))
        .contains("1 of 1 nodes restart all containers, agents are of kind sidecar");
    kube.awaitOne(
        BUDGETS,
        "regroup-controller",
        budget -> budget.at("/status/disruptionsAllowed").asInt() == 1,
        RegroupOnCluster.PATIENCE);
    try (var group = regroup.group("installed", 2, AgentKind.SIDECAR)) {
      group.create(3);
      var before = group.awaitRunning(0);
      var leader = leader();

      Containers.kill(kube.get(PODS + "/" + pod(leader)), "controller");
      group.workers().exit(0, 0, 1);
      var after = group.awaitRunning(1);

      assertThat(Workers.identities(after)).isEqualTo(Workers.identities(before));
      assertThat(leader()).isNotEqualTo(leader);
      group.workers().exitAll(1, 0);
      group.awaitCondition("Completed");
    }

    RegroupOnCluster.run("uninstall", "--kubeconfig", cluster.kubeconfig().toString());

    nothingIsLeft(OURS);
  }

  @Test
  void comes_and_goes_with_helm_too() throws Exception {
    RegroupOnCluster.run("uninstall", "--kubeconfig", cluster.kubeconfig().toString());
    regroup.importImage("controller");
    var helm = cluster.helm(cluster.kubeconfig());
    var place = "--namespace=" + RegroupOnCluster.NAMESPACE;
    helm.run(
        "install",
        "regroup",
        Helm.CHART,
        place,
        "--create-namespace",
        "--set=replicas=1",
        "--wait");
    try (var group = regroup.group("charted", 2, AgentKind.SIDECAR)) {
      group.create(3);
      var before = group.awaitRunning(0);

      group.workers().exit(0, 0, 1);

      assertThat(Workers.identities(group.awaitRunning(1))).isEqualTo(Workers.identities(before));
      helm.run("upgrade", "regroup", Helm.CHART, place, "--set=replicas=2", "--wait");
      assertThat(kube.list(PODS, "")).hasSize(2);
      group.workers().exitAll(1, 0);
      group.awaitCondition("Completed");
    }

    helm.run("uninstall", "regroup", place, "--wait");

    nothingIsLeft("app.kubernetes.io%2Fmanaged-by%3DHelm");
    RegroupOnCluster.run("uninstall", "--kubeconfig", cluster.kubeconfig().toString());
    nothingIsLeft(OURS); // what the controller made for agents, too
  }

  private void nothingIsLeft(String labels) throws Exception {
    for (var path :
        new String[] {
          "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
          "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
          "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
          "/apis/rbac.authorization.k8s.io/v1/clusterroles",
          "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
          "/apis/rbac.authorization.k8s.io/v1/rolebindings",
          "/apis/apps/v1/deployments",
          "/api/v1/serviceaccounts"
        }) {
      assertThat(kube.list(path, "labelSelector=" + labels)).as(path).isEmpty();
    }
  }

  /** Who holds the lease: another start of the same pod is somebody else, and may be the next. */
  private String leader() throws Exception {
    JsonNode lease = kube.get(LEASES + "/regroup-controller");
    var holder = lease.path("spec").path("holderIdentity").asText();
    assertThat(holder).contains("_");
    return holder;
  }

  /** Its pod is the first part of the name. */
  private static String pod(String holder) {
    return holder.substring(0, holder.indexOf('_'));
  }
}
