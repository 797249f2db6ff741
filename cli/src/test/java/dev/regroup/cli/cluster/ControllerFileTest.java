package dev.regroup.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.cli.screen.CliFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** JS-171. */
class ControllerFileTest {

  @TempDir Path folder;

  private ControllerFile read(String text) throws Exception {
    var file = folder.resolve("config.yaml");
    Files.writeString(
        file, "apiVersion: config.jobset.x-k8s.io/v1alpha1\nkind: Configuration\n" + text);
    return ControllerFile.read(file);
  }

  @Test
  void a_file_for_jobsets_own_controller_serves_here() throws Exception {
    var file =
        read(
            """
            leaderElection: {leaderElect: true, leaseDuration: 30s}
            internalCertManagement: {enable: true, webhookServiceName: s, webhookSecretName: t}
            clientConnection: {qps: 50, burst: 60}
            webhook: {port: 9444}
            tls: {minVersion: VersionTLS13, cipherSuites: [A, B]}
            featureGates: {InPlaceRestart: true, RestartJob: false}
            podForceFailAfter: 30s
            failOnNodeUnreachable: false
            """);

    assertThat(file.text("webhook", "port")).hasValue("9444");
    assertThat(file.text("clientConnection", "qps")).hasValue("50");
    assertThat(file.text("leaderElection", "leaderElect")).hasValue("true");
    assertThat(file.texts("tls", "cipherSuites")).containsExactly("A", "B");
    assertThat(file.gates()).isEqualTo("InPlaceRestart=true,RestartJob=false");
    assertThat(file.text("metrics", "bindAddress")).isEmpty();
    assertThat(file.text("podForceFailAfter")).as("JS-136").hasValue("30s");
    assertThat(file.text("failOnNodeUnreachable")).as("JS-160").hasValue("false");
  }

  @Test
  void what_nobody_would_heed_is_refused() {
    assertThatThrownBy(() -> read("webhok: {}"))
        .isInstanceOf(CliFailure.class)
        .hasMessageContaining("unknown field \"webhok\"");
    assertThatThrownBy(() -> read("webhook: {prot: 1}"))
        .hasMessageContaining("unknown field \"webhook.prot\" (known: certDir, host, port)");
    assertThatThrownBy(() -> read("leaderElection: {resourceLock: endpoints}"))
        .hasMessageContaining("only \"leases\"");
  }

  @Test
  void another_kind_is_refused() throws Exception {
    var file = folder.resolve("other.yaml");
    Files.writeString(file, "apiVersion: v1\nkind: ConfigMap\n");

    assertThatThrownBy(() -> ControllerFile.read(file))
        .hasMessageContaining("is no Configuration of config.jobset.x-k8s.io/v1alpha1");
  }
}
