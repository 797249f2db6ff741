package dev.regroup.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.client.Request;
import dev.regroup.client.Transport.Unreachable;
import dev.regroup.e2e.Kube;
import dev.regroup.testing.FreePort;
import dev.regroup.upstream.Authority;
import dev.regroup.upstream.Command;
import dev.regroup.upstream.Daemon;
import dev.regroup.upstream.GoPrograms;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * A Kubernetes cluster of one node on this machine: etcd, API server, controller manager,
 * scheduler, containerd and kubelet as processes, with rights checked (RBAC). Each of them can be
 * killed and started again. {@link #close} takes away everything that it made on the machine and
 * fails when something is left.
 *
 * <p>There is no proxy for services and no DNS: the API server itself listens at the address of the
 * service {@code kubernetes}, and reaches webhooks at the pods behind their service.
 *
 * <p>One at a time per machine: names of links and control groups are fixed.
 */
final class RealCluster implements AutoCloseable {

  static final String NODE = "node1";
  static final String SERVER = "https://" + Ground.API_ADDRESS + ":443";

  /** The programs, in the order in which they start. */
  enum Part {
    ETCD,
    API_SERVER,
    CONTROLLER_MANAGER,
    SCHEDULER,
    CONTAINERD,
    KUBELET
  }

  private static final Duration START = Duration.ofMinutes(3);
  private static final Path LOGS = Path.of("target", "cluster-logs").toAbsolutePath();

  private final FileChannel lock;
  private final GoPrograms programs;
  private final Path run;
  private final Ground ground;
  private final Map<String, String> settingsBefore;
  private final SequencedMap<Part, Daemon> daemons = new LinkedHashMap<>();
  private final Map<String, Integer> ports = new HashMap<>();
  private @Nullable Authority authority;
  private @Nullable Kube kube;
  private @Nullable RegroupOnCluster regroup;

  private RealCluster(Path cache) throws IOException, InterruptedException {
    Files.createDirectories(cache);
    this.lock =
        FileChannel.open(
            cache.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (lock.tryLock() == null) {
      System.out.println("waiting for another run with " + cache);
      lock.lock();
    }
    this.programs =
        GoPrograms.in(cache.resolve("programs"), EnumSet.allOf(GoPrograms.Module.class));
    this.run = cache.resolve("run");
    this.ground = new Ground(cache.resolve("programs"), run);
    ground.clear(); // after a run that was killed
    this.settingsBefore = Ground.read();
  }

  /** Starts one on a machine that {@link Needs} finds fit; builds programs that are not there. */
  static RealCluster start() throws Exception {
    var cluster = new RealCluster(cache());
    try {
      long began = System.nanoTime();
      cluster.begin();
      System.out.printf(
          "a node of Kubernetes is ready after %.1f s%n", (System.nanoTime() - began) / 1e9);
      return cluster;
    } catch (Exception | AssertionError e) {
      for (var daemon : cluster.daemons.values()) {
        System.out.println(daemon.lastWords());
      }
      try {
        cluster.close();
      } catch (Exception | AssertionError later) {
        e.addSuppressed(later);
      }
      throw e;
    }
  }

  private static Path cache() {
    var setting = System.getProperty("cluster.cache", "");
    return (setting.isEmpty()
            ? Path.of(System.getProperty("user.home"), ".cache", "regroup", "cluster")
            : Path.of(setting))
        .toAbsolutePath();
  }

  private void begin() throws Exception {
    ground.prepare();
    var own = new Authority(run.resolve("pki"), Authority.KeyKind.RSA_2048);
    authority = own;
    issue(own);
    writeSettings();
    Files.createDirectories(LOGS);
    defineControlPlane();
    defineNode();
    daemon(Part.ETCD).start();
    daemon(Part.CONTAINERD).start();
    daemon(Part.API_SERVER).start();
    for (var image : Images.make(Files.createDirectories(run.resolve("images")))) {
      importImage(image);
    }
    kube = Kube.of(kubeconfig());
    awaitApi();
    daemon(Part.CONTROLLER_MANAGER).start();
    daemon(Part.SCHEDULER).start();
    daemon(Part.KUBELET).start();
    awaitNode();
    // pods are refused before their account is there
    kube().awaitOne("/api/v1/namespaces/default/serviceaccounts", "default", _ -> true, START);
  }

  private static void issue(Authority authority) throws Exception {
    authority.issue(
        "apiserver",
        "CN=kube-apiserver",
        List.of("localhost", "kubernetes.default.svc"),
        List.of("127.0.0.1", Ground.API_ADDRESS, Ground.NODE_ADDRESS));
    authority.issue(
        "kubelet",
        "O=system:nodes,CN=system:node:" + NODE,
        List.of(NODE),
        List.of(Ground.NODE_ADDRESS));
    authority.kubeconfig("kubelet", SERVER);
    authority.issue("to-kubelets", "O=system:masters,CN=apiserver", List.of(), List.of());
    authority.client("admin", "O=system:masters,CN=admin", SERVER);
    authority.client("controller-manager", "CN=system:kube-controller-manager", SERVER);
    authority.client("scheduler", "CN=system:kube-scheduler", SERVER);
  }

  private void writeSettings() throws IOException {
    for (var folder : List.of("static-pods", "registries/_default", "cni", "volume-plugins")) {
      Files.createDirectories(run.resolve(folder));
    }
    Files.writeString(run.resolve("resolv.conf"), "");
    Files.writeString(
        run.resolve("registries/_default/hosts.toml"), "server = \"https://127.0.0.1:1\"\n");
    Files.writeString(run.resolve("kubelet.yaml"), filled("kubelet.yaml"));
    Files.writeString(run.resolve("containerd.toml"), filled("containerd.toml"));
    Files.writeString(run.resolve("cni/10-regroup.conflist"), filled("cni.conflist"));
  }

  /** One of the files beside this class with its settings filled in. */
  private String filled(String name) throws IOException {
    try (var stream = RealCluster.class.getResourceAsStream(name)) {
      if (stream == null) {
        throw new IllegalStateException(name + ": not beside " + RealCluster.class);
      }
      var text = new String(stream.readAllBytes(), UTF_8);
      var values =
          Map.of(
              "RUN", run.toString(),
              "PKI", run.resolve("pki").toString(),
              "SOCKET", socket(),
              "CGROUP", Ground.CGROUP,
              "BRIDGE", Ground.BRIDGE,
              "NODE_ADDRESS", Ground.NODE_ADDRESS,
              "PAUSE", Images.PAUSE,
              "CNI", Needs.CNI.toString(),
              "RUNC", Needs.program("runc").orElseThrow().toString());
      for (var value : values.entrySet()) {
        text = text.replace("${" + value.getKey() + "}", value.getValue());
      }
      text = text.replace("${KUBELET_PORT}", "" + port("kubelet"));
      return text.replace("${KUBELET_HEALTH_PORT}", "" + port("kubelet-health"));
    }
  }

  private void defineControlPlane() throws IOException {
    var etcd = "http://127.0.0.1:" + port("etcd");
    var peers = "http://127.0.0.1:" + port("etcd-peers");
    define(
        Part.ETCD,
        "etcd",
        "--data-dir=" + run.resolve("etcd"),
        "--listen-client-urls=" + etcd,
        "--advertise-client-urls=" + etcd,
        "--listen-peer-urls=" + peers,
        "--initial-advertise-peer-urls=" + peers,
        "--initial-cluster=default=" + peers,
        "--unsafe-no-fsync"); // nobody pulls the plug
    define(
        Part.API_SERVER,
        "kube-apiserver",
        "--etcd-servers=" + etcd,
        "--bind-address=" + Ground.API_ADDRESS,
        "--secure-port=443",
        "--advertise-address=" + Ground.NODE_ADDRESS,
        "--tls-cert-file=" + pki("apiserver.crt"),
        "--tls-private-key-file=" + pki("apiserver.key"),
        "--client-ca-file=" + pki("ca.crt"),
        "--service-account-key-file=" + pki("service-accounts.key"),
        "--service-account-signing-key-file=" + pki("service-accounts.key"),
        "--service-account-issuer=https://kubernetes.default.svc",
        "--authorization-mode=Node,RBAC",
        "--enable-admission-plugins=NodeRestriction",
        "--service-cluster-ip-range=10.88.79.0/24",
        "--kubelet-client-certificate=" + pki("to-kubelets.crt"),
        "--kubelet-client-key=" + pki("to-kubelets.key"),
        "--kubelet-certificate-authority=" + pki("ca.crt"),
        "--kubelet-preferred-address-types=InternalIP",
        "--endpoint-reconciler-type=none",
        "--enable-aggregator-routing=true"); // webhooks at pods: nobody answers at their service
    define(
        Part.CONTROLLER_MANAGER,
        "kube-controller-manager",
        "--kubeconfig=" + pki("controller-manager.kubeconfig"),
        "--authentication-kubeconfig=" + pki("controller-manager.kubeconfig"),
        "--authorization-kubeconfig=" + pki("controller-manager.kubeconfig"),
        "--bind-address=127.0.0.1",
        "--secure-port=" + port("controller-manager"),
        "--leader-elect=false",
        "--use-service-account-credentials=true",
        "--root-ca-file=" + pki("ca.crt"),
        "--service-account-private-key-file=" + pki("service-accounts.key"));
    define(
        Part.SCHEDULER,
        "kube-scheduler",
        "--kubeconfig=" + pki("scheduler.kubeconfig"),
        "--authentication-kubeconfig=" + pki("scheduler.kubeconfig"),
        "--authorization-kubeconfig=" + pki("scheduler.kubeconfig"),
        "--bind-address=127.0.0.1",
        "--secure-port=" + port("scheduler"),
        "--leader-elect=false");
  }

  private void defineNode() {
    define(Part.CONTAINERD, "containerd", "--config=" + run.resolve("containerd.toml"));
    define(
        Part.KUBELET,
        "kubelet",
        "--config=" + run.resolve("kubelet.yaml"),
        "--kubeconfig=" + pki("kubelet.kubeconfig"),
        "--root-dir=" + run.resolve("kubelet"),
        "--cert-dir=" + run.resolve("pki"),
        "--hostname-override=" + NODE,
        "--node-ip=" + Ground.NODE_ADDRESS);
  }

  private void define(Part part, String program, String... options) {
    var words = new ArrayList<String>();
    words.add(programs.program(program).toString());
    words.addAll(List.of(options));
    daemons.put(part, new Daemon(program, LOGS, words));
  }

  /** An administrator's view. */
  Kube kube() {
    if (kube == null) {
      throw new IllegalStateException("not started");
    }
    return kube;
  }

  Authority authority() {
    if (authority == null) {
      throw new IllegalStateException("not started");
    }
    return authority;
  }

  Path kubeconfig() {
    return authority().file("admin.kubeconfig");
  }

  /** Regroup on this cluster, installed for the first who asks. */
  RegroupOnCluster regroup() throws Exception {
    if (regroup == null) {
      regroup = new RegroupOnCluster(this);
    }
    regroup.ensureRunning();
    return regroup;
  }

  /** Somebody changed the installation: the next who asks gets a new one. */
  void forgetRegroup() {
    regroup = null;
  }

  /** A folder for files that tests share with containers; it goes away with the cluster. */
  Path shared(String name) throws IOException {
    return Files.createDirectories(run.resolve("shared").resolve(name));
  }

  Daemon daemon(Part part) {
    var daemon = daemons.get(part);
    if (daemon == null) {
      throw new IllegalStateException(part + " is not known yet");
    }
    return daemon;
  }

  /** Helm, with a home of its own, for this or another cluster. */
  Helm helm(Path kubeconfig) throws IOException {
    return new Helm(programs.program("helm"), kubeconfig, shared("helm"));
  }

  /** Makes the images of an archive known to the node. */
  void importImage(Path archive) throws IOException, InterruptedException {
    Command.await(
        "the socket of containerd", START, () -> Files.exists(Path.of(socket())) || died());
    Command.run(
        START,
        List.of(
            programs.program("ctr").toString(),
            "--address=" + socket(),
            "--namespace=k8s.io",
            "images",
            "import",
            "--snapshotter=overlayfs",
            archive.toString()));
  }

  void awaitApi() {
    Command.await(
        "the API server",
        START,
        () -> {
          if (died()) {
            throw new AssertionError("a program of the control plane ended, see " + LOGS);
          }
          try {
            return kube().transport().send(Request.get("/readyz", "")).ok();
          } catch (Unreachable e) {
            return false;
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
          }
        });
  }

  JsonNode awaitNode() throws IOException, InterruptedException {
    return kube()
        .awaitOne(
            "/api/v1/nodes",
            NODE,
            node -> Kube.condition(node, "Ready").path("status").asText().equals("True"),
            START);
  }

  private boolean died() {
    return !daemon(Part.CONTAINERD).isAlive()
        || !daemon(Part.ETCD).isAlive()
        || !daemon(Part.API_SERVER).isAlive();
  }

  @Override
  public void close() throws Exception {
    try (lock) {
      if (regroup != null) {
        regroup.close();
      }
      for (var daemon : daemons.sequencedValues().reversed()) {
        daemon.kill(); // what they would tidy up, the ground does
      }
      ground.clear();
      var left = ground.leftovers();
      if (!left.isEmpty() || !Ground.read().equals(settingsBefore)) {
        throw new AssertionError(
            "left behind: %s; settings %s, before %s"
                .formatted(left, Ground.read(), settingsBefore));
      }
    }
  }

  private Path pki(String name) {
    return run.resolve("pki").resolve(name);
  }

  private String socket() {
    return run.resolve("containerd.sock").toString();
  }

  /** A free port that stays the same while this cluster lives. */
  int port(String name) {
    return ports.computeIfAbsent(name, _ -> FreePort.next());
  }
}
