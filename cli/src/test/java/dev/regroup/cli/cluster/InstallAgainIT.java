package dev.regroup.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import dev.regroup.cli.deploy.InstallSettings;
import dev.regroup.cli.deploy.Installer;
import dev.regroup.client.Request;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Installing where it was installed before. */
class InstallAgainIT {

  private static final String NAMESPACES = "/api/v1/namespaces";
  private static final String OURS = NAMESPACES + "/" + BareCluster.NAMESPACE;

  @TempDir Path folder;

  /** Right after uninstalling: a namespace takes its time to go. */
  @Test
  void waits_until_the_old_namespace_is_gone() throws Exception {
    try (var cluster = new BareCluster(folder);
        var other = Executors.newVirtualThreadPerTaskExecutor()) {
      cluster.post(NAMESPACES, "metadata: {name: " + BareCluster.NAMESPACE + "}");
      cluster.post(OURS + "/configmaps", "metadata: {name: holds, finalizers: [test/holds]}");
      var gone = cluster.admin().send(Request.of("DELETE", OURS, "application/json", new byte[0]));
      assertThat(gone.status()).isEqualTo(200);
      cluster.await(
          OURS + "/configmaps/holds", held -> held.at("/metadata").has("deletionTimestamp"));

      BlockingQueue<String> said = new LinkedBlockingQueue<>();
      var settings =
          new InstallSettings(
              BareCluster.NAMESPACE,
              Wire.object().put("webhookUrl", "https://127.0.0.1:" + cluster.webhookPort),
              BareCluster.LIMIT);
      var installed =
          other.submit(() -> {
            new Installer(cluster.admin(), settings, _ -> {}, said::add).install();
            return true;
          });
      String line = "";
      while (!line.equals("waiting for the old namespace/regroup-system: is being removed")) {
        line = said.poll(BareCluster.LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertThat(line).as("what it waits for").isNotNull();
      }
      cluster.patch(OURS + "/configmaps/holds", "{\"metadata\":{\"finalizers\":null}}");

      assertThat(installed.get(BareCluster.LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(cluster.get(OURS).at("/status/phase").asText()).isEqualTo("Active");
    }
  }

  /** An upgrade is an installation: what is there and as it should be stays as it is. */
  @Test
  void changes_what_differs_and_nothing_else() throws Exception {
    try (var cluster = new BareCluster(folder)) {
      cluster.install();
      try (var _ = cluster.controller(cluster.settings())) {
        var bundle = cluster.bundle();

        assertThat(acts(cluster.install())).containsOnly("unchanged");
        assertThat(cluster.bundle()).as("the webhooks are believed as before").isEqualTo(bundle);

        var without =
            Wire.object()
                .put("webhookUrl", "https://127.0.0.1:" + cluster.webhookPort)
                .put("metrics", false);
        var said = cluster.install(without);
        assertThat(said)
            .contains(
                "clusterrole.rbac.authorization.k8s.io/regroup-metrics-auth removed",
                "clusterrole.rbac.authorization.k8s.io/regroup-metrics-reader removed");
        assertThat(acts(said)).containsOnly("unchanged", "removed");
        assertThat(acts(cluster.install(without))).containsOnly("unchanged");
        assertThat(acts(cluster.install())).containsOnly("unchanged", "created");
      }
    }
  }

  /** The last words of what was said about objects. */
  private static List<String> acts(List<String> said) {
    return said.stream()
        .filter(line -> !line.endsWith("no such kind here"))
        .map(line -> line.substring(line.lastIndexOf(' ') + 1))
        .toList();
  }
}
