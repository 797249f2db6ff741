package dev.regroup.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import dev.regroup.e2e.Kube;
import dev.regroup.e2e.Program;
import dev.regroup.e2e.Workers;
import dev.regroup.upstream.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import org.jspecify.annotations.Nullable;

/**
 * Regroup installed on a cluster by its own command. The controller runs beside the cluster as a
 * process that tests kill, with the rights that its installation gives it and nothing more.
 */
final class RegroupOnCluster implements AutoCloseable {

  static final String NAMESPACE = "regroup-system";

  /** The kubelet looks at a pod every second or so, and the machine may be busy. */
  static final Duration PATIENCE = Duration.ofMinutes(3);

  private final RealCluster cluster;
  private final Path folder;
  private final Path crashes;
  private @Nullable Program controller;

  RegroupOnCluster(RealCluster cluster) throws Exception {
    this.cluster = cluster;
    this.folder = cluster.shared("regroup");
    this.crashes = cluster.shared("crashes");
    importImage("agent");
    run("install", "--kubeconfig", cluster.kubeconfig().toString(), "--webhook-url", webhookUrl());
  }

  /** Makes one of Regroup's images and gives it to the node. */
  void importImage(String part) throws Exception {
    var archive = folder.resolve(part + ".tar");
    run("image", part, "--output", archive.toString());
    cluster.importImage(archive);
  }

  /** A command of Regroup that must end well; returns what it printed. */
  static String run(String... arguments) throws Exception {
    try (var program = Program.start(Map.of(), List.of(arguments))) {
      assertThat(program.awaitExit(PATIENCE))
          .as("%s%n%s", List.of(arguments), program.output())
          .isZero();
      return program.output();
    }
  }

  /** A group of this size whose pods have this kind of agent. */
  Group group(String name, int size, AgentKind kind) throws IOException {
    var place = new Workers.Place("busybox", kind.annotation(), PATIENCE);
    var workers = new Workers(cluster.shared("groups"), name, size, place);
    return new Group(cluster.kube(), workers, kind);
  }

  /** Starts it; {@code more} are options beside those that every test needs. */
  void startController(String... more) throws Exception {
    var words =
        new ArrayList<>(
            List.of(
                "controller",
                "--kubeconfig=" + kubeconfig(),
                "--webhook-bind-address=" + webhookAddress(),
                "--webhook-name=" + Ground.NODE_ADDRESS,
                "--health-probe-bind-address=0",
                "--metrics-bind-address=0",
                "--leader-elect=false"));
    words.addAll(List.of(more));
    controller = Program.start(Map.of("REGROUP_CRASH_AT", "@" + crashes), words);
    awaitAdmission();
  }

  /** Its webhooks answer and its certificate is known: a JobSet could be created. */
  private void awaitAdmission() {
    var probe =
        """
        {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": {"name": "probe"},
         "spec": {}}\
        """;
    Command.await(
        "the controller's webhooks",
        PATIENCE,
        () -> {
          if (!isRunning()) {
            throw new AssertionError("the controller ended:\n" + running().output());
          }
          try {
            var request =
                Request.of("POST", Workers.JOB_SETS, "application/json", probe.getBytes());
            return cluster.kube().transport().send(request.withQuery("dryRun=All")).ok();
          } catch (Transport.Unreachable e) {
            return false;
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
          }
        });
  }

  /** As whom the controller speaks: its own account, by a token of the API server. */
  private Path kubeconfig() throws Exception {
    var file = folder.resolve("controller.kubeconfig");
    var request =
        Kube.JSON.readTree(
            """
            {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
             "spec": {"expirationSeconds": 86400}}\
            """);
    var account = "/api/v1/namespaces/" + NAMESPACE + "/serviceaccounts/regroup-controller/token";
    var token = cluster.kube().create(account, request).path("status").path("token").asText();
    return cluster.authority().kubeconfig(file, RealCluster.SERVER, token);
  }

  void killController() throws InterruptedException {
    running().kill();
  }

  void ensureRunning() throws Exception {
    if (!isRunning()) {
      Files.deleteIfExists(crashes.resolve("at"));
      startController();
    }
  }

  private boolean isRunning() {
    return controller != null
        && ProcessHandle.of(controller.pid()).filter(ProcessHandle::isAlive).isPresent();
  }

  /** The controller ends when it reaches this point next. */
  void crashAt(String point) throws IOException {
    var next = Files.writeString(crashes.resolve("next"), point);
    Files.move(next, crashes.resolve("at"), StandardCopyOption.ATOMIC_MOVE);
  }

  void awaitCrash(String point) throws Exception {
    assertThat(running().awaitExit(PATIENCE)).as("reached %s", point).isEqualTo(Program.KILLED);
    Files.delete(crashes.resolve("at"));
  }

  void forgetReached() throws IOException {
    Files.deleteIfExists(crashes.resolve("reached"));
  }

  /** The crash points reached since, each once. */
  SequencedSet<String> reached() throws IOException {
    return new LinkedHashSet<>(Files.readAllLines(crashes.resolve("reached")));
  }

  private Program running() {
    if (controller == null) {
      throw new IllegalStateException("the controller was not started");
    }
    return controller;
  }

  private String webhookUrl() {
    return "https://" + webhookAddress();
  }

  private String webhookAddress() {
    return Ground.NODE_ADDRESS + ":" + cluster.port("webhook");
  }

  @Override
  public void close() throws Exception {
    if (controller != null) {
      controller.close();
    }
  }
}
