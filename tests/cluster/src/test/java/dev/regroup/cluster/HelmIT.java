package dev.regroup.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.e2e.Cluster;
import dev.regroup.e2e.Workers;
import dev.regroup.testing.ExpectsThread;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The real Helm reads our chart as we do, and brings charts to the API server of this program. */
@ExtendWith(SharedCluster.class)
@ExpectsThread(value = "program-.*", because = "all tests share one controller")
class HelmIT {

  private static final String PODS = "/api/v1/namespaces/default/pods";
  private static final String SETTINGS = "/api/v1/namespaces/default/configmaps/run";
  private static final String OF_RUN = "labelSelector=app.kubernetes.io%2Finstance%3Drun";

  @TempDir Path folder;

  private RealCluster programs;

  @BeforeEach
  void helm_is_built(RealCluster shared) {
    programs = shared;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "replicas=2 | --replicas 2",
        "manage=marked | --manage marked",
        "webhookUrl=https://192.0.2.1:9443 | --webhook-url https://192.0.2.1:9443",
        "metrics=false,networkPolicy=false,flowControl=false,agentPolicy=false |"
            + " --set metrics=false --set networkPolicy=false --set flowControl=false"
            + " --set agentPolicy=false",
        "agentAccounts=manual,agentNamespaces={a,b} | --namespace-agents a,b",
        "agentKind=process,featureGates=RestartJob\\=true,podForceFailAfter=30s |"
            + " --set agentKind=process --set featureGates=RestartJob=true"
            + " --set podForceFailAfter=30s",
      })
  void renders_what_regroup_install_does(String values, String flags) throws Exception {
    var command = new ArrayList<>(List.of("install", "--dry-run", "-o", "yaml"));
    command.addAll(List.of(flags.split(" ", -1)));

    var ours = Helm.objects(RegroupOnCluster.run(command.toArray(String[]::new)));
    var theirs =
        Helm.objects(
            helm(programs.kubeconfig())
                .run(
                    "template",
                    "regroup",
                    Helm.CHART,
                    "--include-crds",
                    "--namespace=" + RegroupOnCluster.NAMESPACE,
                    "--kube-version=1.36.0",
                    "--set",
                    values));

    ours.removeIf(object -> object.path("kind").asText().equals("Namespace"));
    assertThat(theirs).containsExactlyInAnyOrderElementsOf(ours);
  }

  @Test
  void finds_nothing_to_complain_about() throws Exception {
    var said = helm(programs.kubeconfig()).run("lint", "--strict", Helm.CHART);

    assertThat(said).contains("1 chart(s) linted, 0 chart(s) failed").doesNotContain("WARNING");
  }

  @Test
  void brings_a_users_chart_to_the_local_cluster_and_takes_it_away() throws Exception {
    try (var local = Cluster.up(folder)) {
      var kube = local.kube();
      var helm = helm(local.kubeconfig());

      helm.run("install", "run", trainer(), "--wait");

      kube.await(
          PODS,
          OF_RUN,
          pods -> pods.size() == 2 && pods.values().stream().allMatch(HelmIT::runs),
          RegroupOnCluster.PATIENCE);
      helm.run("test", "run");
      helm.run("upgrade", "run", trainer(), "--set=epochs=5", "--wait");
      assertThat(epochs(kube.get(SETTINGS))).isEqualTo("5");
      helm.run("rollback", "run", "1", "--wait");
      assertThat(epochs(kube.get(SETTINGS))).isEqualTo("3");
      assertThat(helm.run("history", "run"))
          .contains("Install complete", "Upgrade complete", "Rollback to 1");
      assertThat(helm.run("status", "run", "--show-resources"))
          .contains("v1alpha2/JobSet", "v1/ConfigMap", "v1/Service");

      helm.run("uninstall", "run", "--wait");

      assertThat(kube.list(Workers.JOB_SETS, "")).isEmpty();
      kube.awaitGone(PODS, OF_RUN, RegroupOnCluster.PATIENCE);
    }
  }

  /** What of it can be on a local cluster: no Deployment runs there, and no flow control. */
  @Test
  void brings_our_chart_to_a_local_cluster_without_job_sets_of_its_own() throws Exception {
    try (var local = Cluster.up(folder, "--jobset=off")) {
      var helm = helm(local.kubeconfig());
      var place = "--namespace=" + RegroupOnCluster.NAMESPACE;
      var values = "--set=flowControl=false,webhookUrl=https://192.0.2.1:9443";

      helm.run("install", "regroup", Helm.CHART, place, "--create-namespace", values);

      var hooks = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
      helm.run("upgrade", "regroup", Helm.CHART, place, values + ",webhookTimeoutSeconds=7");
      assertThat(local.kube().get(hooks + "/regroup-webhooks").at("/webhooks/0/timeoutSeconds"))
          .hasToString("7");

      helm.run("uninstall", "regroup", place, "--wait");

      assertThat(local.kube().list(hooks, "")).isEmpty();
      assertThat(local.kube().get("/apis/jobset.x-k8s.io/v1alpha2").path("resources"))
          .as("a definition stays, as Helm does with all")
          .isNotEmpty();
    }
  }

  private Helm helm(Path kubeconfig) throws Exception {
    return programs.helm(kubeconfig);
  }

  private static String trainer() throws URISyntaxException {
    return Path.of(HelmIT.class.getResource("trainer").toURI()).toString();
  }

  private static String epochs(JsonNode settings) {
    return settings.path("data").path("epochs").asText();
  }

  private static boolean runs(JsonNode pod) {
    return pod.path("status").path("phase").asText().equals("Running");
  }
}
