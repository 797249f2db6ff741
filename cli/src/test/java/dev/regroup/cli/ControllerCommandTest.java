package dev.regroup.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.regroup.api.Gate;
import dev.regroup.cli.cluster.ControllerFile;
import dev.regroup.cli.cluster.ControllerSettings;
import dev.regroup.cli.kubeconfig.KubeAccess;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.client.lease.LeaderLease;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** JS-171: what the file, the flags and neither of them lead to. */
class ControllerCommandTest {

  private static final KubeAccess SOMEWHERE =
      new KubeAccess(
          URI.create("https://192.0.2.1"), "", false, "", "", Optional::empty, "default");

  @TempDir Path folder;

  private ControllerSettings settings(String file, String... flags) throws Exception {
    var path =
        Files.writeString(
            folder.resolve("controller.yaml"),
            "apiVersion: config.jobset.x-k8s.io/v1alpha1\nkind: Configuration\n" + file);
    var command = new ControllerCommand();
    new CommandLine(command).parseArgs(flags);
    return command.settings(
        ControllerFile.read(path), SOMEWHERE, new PrintWriter(new StringWriter()));
  }

  @Test
  void without_a_word_everything_is_as_with_jobsets_own_controller() throws Exception {
    var settings = settings("");

    assertThat(settings.webhook()).isEqualTo(new InetSocketAddress(9443));
    assertThat(settings.health()).hasValue(new InetSocketAddress(8081));
    assertThat(settings.metrics()).hasValue(new InetSocketAddress(8443));
    assertThat(settings.election().times())
        .hasValue(
            new LeaderLease.Times(
                Duration.ofSeconds(15), Duration.ofSeconds(10), Duration.ofSeconds(2)));
    assertThat(settings.rate()).isEqualTo(new ControllerSettings.Rate(500, 500));
    assertThat(settings.certificates().directory()).as("made by itself").isEmpty();
    assertThat(settings.tls().protocols()).containsExactly("TLSv1.2", "TLSv1.3");
  }

  private static final String FILE =
      """
      webhook: {host: 127.0.0.1, port: 1443, certDir: /certificates}
      health: {healthProbeBindAddress: "127.0.0.1:1081"}
      metrics: {bindAddress: "0"}
      leaderElection:
        leaderElect: false
        resourceName: own
        resourceNamespace: there
      clientConnection: {qps: 5, burst: 6}
      featureGates: {RestartJob: false, ElasticJobSet: false}
      tls: {minVersion: VersionTLS12, cipherSuites: [A]}
      podForceFailAfter: 30s
      """;

  @Test
  void what_the_file_says_is_done() throws Exception {
    var settings = settings(FILE);

    assertThat(settings.webhook()).isEqualTo(new InetSocketAddress("127.0.0.1", 1443));
    assertThat(settings.certificates().directory()).hasValue(Path.of("/certificates"));
    assertThat(settings.health()).hasValue(new InetSocketAddress("127.0.0.1", 1081));
    assertThat(settings.metrics()).isEmpty();
    assertThat(settings.election().times()).isEmpty();
    assertThat(settings.election().name()).isEqualTo("own");
    assertThat(settings.election().namespace()).isEqualTo("there");
    assertThat(settings.rate()).isEqualTo(new ControllerSettings.Rate(5, 6));
    assertThat(settings.gates().on(Gate.RESTART_JOB)).isFalse();
    assertThat(settings.gates().on(Gate.ELASTIC_JOB_SET)).isFalse();
    assertThat(settings.gates().on(Gate.IN_PLACE_RESTART)).isTrue();
    assertThat(settings.tls().cipherSuites()).containsExactly("A");
    assertThat(settings.nodeLoss().podForceFailAfter()).hasValue(Duration.ofSeconds(30));
  }

  @Test
  void what_a_flag_says_wins_over_the_file() throws Exception {
    var settings =
        settings(
            FILE,
            "--webhook-bind-address=127.0.0.1:2443",
            "--webhook-cert-dir=/others",
            "--health-probe-bind-address=0",
            "--metrics-bind-address=127.0.0.1:2444",
            "--leader-elect",
            "--kube-api-qps=7",
            "--kube-api-burst=8",
            "--feature-gates=RestartJob=true",
            "--pod-force-fail-after=off");

    assertThat(settings.webhook()).isEqualTo(new InetSocketAddress("127.0.0.1", 2443));
    assertThat(settings.certificates().directory()).hasValue(Path.of("/others"));
    assertThat(settings.health()).isEmpty();
    assertThat(settings.metrics()).hasValue(new InetSocketAddress("127.0.0.1", 2444));
    assertThat(settings.election().times()).isPresent();
    assertThat(settings.rate()).isEqualTo(new ControllerSettings.Rate(7, 8));
    assertThat(settings.gates().on(Gate.RESTART_JOB)).isTrue();
    assertThat(settings.gates().on(Gate.ELASTIC_JOB_SET)).as("the file's").isFalse();
    assertThat(settings.nodeLoss().podForceFailAfter()).isEmpty();
  }

  @Test
  void what_nobody_could_do_is_refused() {
    for (var wrong :
        List.of(
            "tls: {minVersion: VersionTLS11}",
            "tls: {minVersion: VersionTLS13, cipherSuites: [A]}",
            "clientConnection: {qps: 0}",
            "clientConnection: {burst: many}",
            "health: {healthProbeBindAddress: \":99999\"}",
            "leaderElection: {leaseDuration: 1s, renewDeadline: 5s}",
            "podForceFailAfter: soon",
            "failOnNodeUnreachable: maybe",
            "featureGates: {Nonsense: true}")) {
      assertThatThrownBy(() -> settings(wrong)).as(wrong).isInstanceOf(CliFailure.class);
    }
  }
}
