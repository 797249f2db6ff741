package dev.regroup.node;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.client.ApiClient;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import dev.regroup.client.crash.CrashPoint;
import dev.regroup.client.informer.Delta;
import dev.regroup.client.informer.Informer;
import dev.regroup.node.image.HostImages;
import dev.regroup.node.pod.PodDirectory;
import dev.regroup.node.pod.RestartTelling;
import dev.regroup.rules.pod.NodeSettings;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.embedded.EmbeddedRuntime;
import dev.regroup.runtime.fabric.Fabric;
import dev.regroup.server.ApiServer;
import dev.regroup.server.NodeAccess;
import dev.regroup.server.access.Identity;
import dev.regroup.server.https.Pki;
import dev.regroup.testing.MadeOnce;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * A real API server, a real runtime and a real node in this process, with the smallest scheduler
 * there is: every pod goes to the one node.
 */
final class LocalCluster implements AutoCloseable {

  static final String NODE = "node-1";
  private static final MadeOnce PKI =
      new MadeOnce(directory -> Pki.open(directory, InstantSource.system()));

  private final Path directory;
  private final ApiServer server;
  private final Road.Way way;
  private final Informer<String> binder;
  private final Fabric fabric;
  private final EmbeddedRuntime runtime;
  private final Node node;

  private LocalCluster(Path directory, Gates gates, Road road, CrashPoint crashPoint)
      throws Exception {
    this.directory = directory;
    PKI.at(directory.resolve("server/pki"));
    this.server =
        ApiServer.start(
            new ApiServer.Settings(
                directory.resolve("server"), 0, gates, InstantSource.system(), new Random()));
    this.way = road.to(server);
    this.fabric = Fabric.open(Fabric.Settings.in(directory.resolve("fabric")));
    this.runtime =
        EmbeddedRuntime.open(
            EmbeddedRuntime.Settings.in(directory.resolve("runtime"))
                .withNetwork(fabric)
                .hiding(directory));
    var rules =
        gates.preset() == Gates.Preset.UPSTREAM ? NodeSettings.upstream() : NodeSettings.product();
    var ports = Node.Ports.of(way.as(Identity.node(NODE)), runtime);
    this.node =
        Node.start(
            new Node.Settings(
                NODE,
                directory.resolve("node"),
                fabric.hostAddress().getHostAddress(),
                1000,
                "0.1.0",
                rules,
                HostImages.HOST,
                RestartTelling.ANNOTATED,
                List.of("RestartAllContainersOnContainerExits")),
            new Node.Ports(
                ports.transport(),
                ports.runtime(),
                ports.clock(),
                ports.random(),
                ports.observer(),
                ports.metrics(),
                crashPoint,
                ports.resolvConf(),
                ports.services()));
    server.connectNodes(new Logs(node.logs()));
    this.binder =
        new Informer<String>(
                server.inProcess(Identity.scheduler()),
                Kinds.PODS,
                ListQuery.ALL.withFields("spec.nodeName="),
                pod -> pod.path("spec").path("schedulerName").asText(),
                new Random())
            .listen(this::bind)
            .start();
  }

  static LocalCluster start(Path directory, Gates gates, Road road) throws Exception {
    return new LocalCluster(directory, gates, road, CrashPoint.NONE);
  }

  /** Runs until ended: {@code directory upstream|product [crash point [manifest of a pod]]}. */
  public static void main(String[] arguments) throws Exception {
    var directory = Path.of(arguments[0]);
    var gates = arguments[1].equals("upstream") ? Gates.upstream() : Gates.product();
    var crashPoint = CrashPoint.parse(arguments.length > 2 ? arguments[2] : "");
    boolean fresh = Files.notExists(directory.resolve("kubeconfig"));
    var cluster = new LocalCluster(directory, gates, Road.IN_PROCESS, crashPoint);
    Files.writeString(directory.resolve("kubeconfig"), cluster.kubeconfig());
    System.out.println("ready " + cluster.server.address());
    if (arguments.length > 3) {
      if (fresh) {
        cluster.createNamespace("t");
      }
      cluster.createPod("t", Files.readString(Path.of(arguments[3])));
    }
    new CountDownLatch(1).await();
  }

  ApiClient api() {
    return new ApiClient(transport());
  }

  Transport transport() {
    return way.as(Identity.admin());
  }

  EmbeddedRuntime runtime() {
    return runtime;
  }

  void createNamespace(String name) throws Exception {
    var namespace = Wire.object();
    namespace
        .put("apiVersion", "v1")
        .put("kind", "Namespace")
        .putObject("metadata")
        .put("name", name);
    api().create(Kinds.NAMESPACES, "", namespace);
    var account = Wire.object();
    account.put("apiVersion", "v1").put("kind", "ServiceAccount");
    account.putObject("metadata").put("name", "default");
    api().create(Kinds.SERVICE_ACCOUNTS, name, account);
    var authority = Wire.object();
    authority.putObject("metadata").put("name", "kube-root-ca.crt");
    authority.putObject("data").put("ca.crt", server.admin().caPem());
    api().create(Kinds.CONFIG_MAPS, name, authority);
  }

  JsonNode createPod(String namespace, String json) throws Exception {
    return api().create(Kinds.PODS, namespace, Wire.tree(json));
  }

  /** Waits until runtime and disk have nothing of the pod any more. */
  void awaitRemoved(String uid, Duration limit) throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    var pod = new PodUid(uid);
    while (runtime.pods().contains(pod)
        || Files.exists(PodDirectory.of(directory.resolve("node"), pod).root())) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("something of pod " + uid + " is left");
      }
      Thread.sleep(5); // no event tells when a directory is gone
    }
  }

  /** Stops node, runtime and server; containers keep running. */
  @Override
  public void close() {
    binder.close();
    try {
      node.stop();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    runtime.close();
    fabric.close();
    way.close();
    server.close();
  }

  /** Ends everything this cluster ever started. */
  void destroy() throws Exception {
    binder.close();
    node.stop();
    for (var pod : runtime.pods()) {
      runtime.removePod(pod);
    }
    runtime.close();
    fabric.remove();
    way.close();
    server.close();
    dev.regroup.runtime.FileTrees.delete(directory);
  }

  private void bind(Delta<String> delta) {
    if (delta.now().isEmpty() || !delta.now().get().value().equals("default-scheduler")) {
      return;
    }
    var key = delta.key();
    var binding = Wire.object();
    binding
        .put("apiVersion", "v1")
        .put("kind", "Binding")
        .putObject("metadata")
        .put("name", key.name());
    binding.putObject("target").put("apiVersion", "v1").put("kind", "Node").put("name", NODE);
    try {
      var path = "/api/v1/namespaces/" + key.namespace() + "/pods/" + key.name() + "/binding";
      server
          .inProcess(Identity.scheduler())
          .send(Request.of("POST", path, "application/json", Wire.write(binding)));
    } catch (IOException e) {
      throw new AssertionError("binding " + key, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private String kubeconfig() {
    return """
    apiVersion: v1
    kind: Config
    current-context: regroup
    clusters:
    - name: regroup
      cluster:
        server: %s
        certificate-authority-data: %s
    users:
    - name: admin
      user:
        client-certificate-data: %s
        client-key-data: %s
    contexts:
    - name: regroup
      context:
        cluster: regroup
        user: admin
    """
        .formatted(
            server.address(),
            base64(server.admin().caPem()),
            base64(server.admin().certificatePem()),
            base64(server.admin().keyPem()));
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
  }

  /** The server's port for logs on top of the node's. */
  private record Logs(PodLogs logs) implements NodeAccess {
    @Override
    public Transport.Stream logs(ContainerRef container, LogOptions options) throws NodeFailure {
      try {
        return logs.open(
            container.pod(),
            container.podUid(),
            container.container(),
            new PodLogs.Options(
                options.follow() ? PodLogs.Options.Mode.FOLLOW : PodLogs.Options.Mode.SNAPSHOT,
                options.previous() ? PodLogs.Options.Which.PREVIOUS : PodLogs.Options.Which.CURRENT,
                options.timestamps() ? PodLogs.Options.Stamps.TIME : PodLogs.Options.Stamps.NONE,
                optional(options.since()),
                options.tailLines(),
                options.limitBytes(),
                options.run()));
      } catch (PodLogs.NoLog e) {
        throw new NodeFailure(e.code(), String.valueOf(e.getMessage()));
      }
    }

    private static <T> Optional<T> optional(@Nullable T value) {
      return Optional.ofNullable(value);
    }
  }
}
