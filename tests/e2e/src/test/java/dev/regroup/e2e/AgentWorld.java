package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Gates;
import dev.regroup.server.ApiServer;
import dev.regroup.server.access.Identity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What agents live in, without anybody who acts on it: a real API server over HTTPS, a JobSet, pods
 * that nobody runs and the account of the agents. The test plays the controller.
 */
final class AgentWorld implements AutoCloseable {

  static final Duration LIMIT = Duration.ofSeconds(60);
  static final String ATTEMPT = "jobset.sigs.k8s.io/in-place-restart-attempt";
  static final String EPOCH = "jobset.sigs.k8s.io/epoch";

  private static final String CORE = "/api/v1/namespaces/default";
  private static final String ACCOUNT = "jobset-in-place-restart";
  private static final String REPORTERS =
      "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles/pod-patcher-role";
  private static final Path RIGHTS = Path.of("../../examples/kep/kep-467-agent-rights.yaml");

  private final Path folder;
  private final int port;
  private final List<Program> agents = new ArrayList<>();
  private ApiServer server;
  private Kube kube;

  private AgentWorld(Path folder) throws Exception {
    this.folder = folder;
    this.server = serve(0);
    this.port = server.address().getPort();
    this.kube = Kube.over(server.inProcess(Identity.admin()));
  }

  static AgentWorld open(Path folder) throws Exception {
    var world = new AgentWorld(folder);
    world.kube.create(CORE + "/serviceaccounts", "{metadata: {name: " + ACCOUNT + "}}");
    for (String document : Files.readString(RIGHTS).split("(?m)^---$")) {
      if (document.contains("\nkind: Role\n")) {
        world.kube.create("/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles", document);
      } else if (document.contains("\nkind: RoleBinding\n")) {
        world.kube.create(
            "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", document);
      }
    }
    return world;
  }

  private ApiServer serve(int wanted) throws Exception {
    return ApiServer.start(
        new ApiServer.Settings(
            Cluster.certified(folder.resolve("server")),
            wanted,
            Gates.product(),
            InstantSource.system(),
            new SecureRandom()));
  }

  Kube kube() {
    return kube;
  }

  /** Ends the server and starts it again at the same place. */
  void restartServer() throws Exception {
    server.close();
    server = serve(port);
    kube = Kube.over(server.inProcess(Identity.admin()));
  }

  /** A JobSet that asks for restarts in place. */
  JsonNode jobSet(String name) throws Exception {
    return kube.create(
        Workers.JOB_SETS,
        """
        metadata: {name: %s}
        spec:
          failurePolicy: {maxRestarts: 9, restartStrategy: InPlaceRestart}
          replicatedJobs:
          - name: w
            template: {spec: {parallelism: 1, completions: 1, template: {spec: {
              containers: [{name: c, image: i, command: ["true"]}]}}}}
        """
            .formatted(name));
  }

  void pod(String name) throws Exception {
    kube.create(
        Workers.PODS,
        """
        metadata: {name: %s, labels: {a: b}, annotations: {a: b}}
        spec:
          serviceAccountName: %s
          automountServiceAccountToken: false
          containers: [{name: c, image: i}]
        """
            .formatted(name, ACCOUNT));
  }

  /** The orders of the group, as a controller writes them. */
  void order(String jobSet, String status) throws Exception {
    var answer =
        kube.patch(Workers.JOB_SETS + "/" + jobSet + "/status", "{\"status\":" + status + "}");
    assertThat(answer.path("kind").asText()).as("%s", answer).isEqualTo("JobSet");
  }

  void current(String jobSet, int attempt) throws Exception {
    order(jobSet, "{\"currentInPlaceRestartAttempt\":" + attempt + "}");
  }

  void previous(String jobSet, int attempt) throws Exception {
    order(jobSet, "{\"previousInPlaceRestartAttempt\":" + attempt + "}");
  }

  /** Waits until the pod's agent has written this. */
  void awaitAnnotation(String pod, String key, String value) throws Exception {
    kube.awaitOne(Workers.PODS, pod, object -> annotation(object, key).equals(value), LIMIT);
  }

  String annotation(String pod, String key) throws Exception {
    return annotation(kube.get(Workers.PODS + "/" + pod), key);
  }

  private static String annotation(JsonNode pod, String key) {
    return pod.path("metadata").path("annotations").path(key).asText("");
  }

  /** Takes the agents' right to write their attempt away. */
  void forbidReports() throws Exception {
    kube.patch(REPORTERS, "{\"rules\":[]}");
  }

  void allowReports() throws Exception {
    kube.patch(
        REPORTERS,
        "{\"rules\":[{\"apiGroups\":[\"\"],\"resources\":[\"pods\"],\"verbs\":[\"patch\"]}]}");
  }

  /** A token of the agents' account, bound to the pod as the node's are. */
  String token(String pod) throws Exception {
    return kube.create(
            CORE + "/serviceaccounts/" + ACCOUNT + "/token",
            "{spec: {boundObjectRef: {apiVersion: v1, kind: Pod, name: " + pod + "}}}")
        .path("status")
        .path("token")
        .asText();
  }

  /** The folder that a node mounts into the pod's containers. */
  Path account(String pod, String token) throws IOException {
    Path account = Files.createDirectories(folder.resolve("account-" + pod));
    Files.writeString(account.resolve("ca.crt"), server.admin().caPem());
    Files.writeString(account.resolve("namespace"), "default");
    replaceToken(pod, token);
    return account;
  }

  /** As a node does it when a token gets old. */
  void replaceToken(String pod, String token) throws IOException {
    Path account = folder.resolve("account-" + pod);
    Files.writeString(account.resolve("new"), token);
    Files.move(account.resolve("new"), account.resolve("token"), StandardCopyOption.ATOMIC_MOVE);
  }

  Path restartDirectory(String pod) {
    return folder.resolve("jobset-" + pod);
  }

  /** What a node tells the containers of the pod. */
  Map<String, String> environment(String jobSet, String pod) {
    return Map.of(
        "KUBERNETES_SERVICE_HOST",
        "127.0.0.1",
        "KUBERNETES_SERVICE_PORT",
        String.valueOf(port),
        "JOBSET_NAME",
        jobSet,
        "POD_NAME",
        pod,
        "JOBSET_RESTART_DIR",
        restartDirectory(pod).toString());
  }

  /** Starts the pod's agent with its own token. */
  Program agent(String jobSet, String pod, Map<String, String> more) throws Exception {
    return agent(jobSet, pod, token(pod), more);
  }

  Program agent(String jobSet, String pod, String token, Map<String, String> more)
      throws Exception {
    return agent(jobSet, pod, token, more, List.of());
  }

  /** The same; the agent finds the server at this socket. */
  Program agentThrough(Path socket, String jobSet, String pod) throws Exception {
    return agent(jobSet, pod, token(pod), Map.of(), List.of("-Dregroup.agent.socket=" + socket));
  }

  private Program agent(
      String jobSet, String pod, String token, Map<String, String> more, List<String> properties)
      throws Exception {
    var environment = new HashMap<>(environment(jobSet, pod));
    environment.putAll(more);
    var options = new ArrayList<>(properties);
    options.add("-Dregroup.agent.account=" + account(pod, token));
    var agent = Program.command(environment, Program.line("dev.regroup.agent.AgentMain", options));
    agents.add(agent);
    return agent;
  }

  /** The server answers at this socket, too. */
  void listenAt(Path socket) throws IOException {
    server.listenAt(socket);
  }

  @Override
  public void close() throws Exception {
    for (Program agent : agents) {
      ProcessHandle.of(agent.pid()).ifPresent(AgentWorld::endDescendants);
      agent.kill();
    }
    server.close();
  }

  /**
   * A shell may start another one after they were counted; whoever is orphaned stays the agent's.
   */
  private static void endDescendants(ProcessHandle agent) {
    var left = agent.descendants().toList();
    while (!left.isEmpty()) {
      left.forEach(ProcessHandle::destroyForcibly);
      left.forEach(one -> one.onExit().orTimeout(30, TimeUnit.SECONDS).join());
      left = agent.descendants().toList();
    }
  }
}
