package dev.regroup.cli.image;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.cli.screen.CliFailure;
import dev.regroup.client.Request;
import dev.regroup.client.Response;
import dev.regroup.client.Transport;
import dev.regroup.server.ApiServer;
import dev.regroup.store.StoreFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Makes the AOT cache of the agent by a real run of it: against a real API server it reads a
 * JobSet, writes its attempt, follows the JobSet through the barrier, runs a worker to its end and
 * leaves.
 */
final class AgentTraining {

  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final String CORE = "/api/v1/namespaces/default/";
  private static final String RBAC = "/apis/rbac.authorization.k8s.io/v1/";
  private static final String JOB_SETS =
      "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets";

  private static final String JOB_SET =
      """
      {"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet","metadata":{"name":"train"},
       "spec":{"failurePolicy":{"restartStrategy":"InPlaceRestart"},
       "replicatedJobs":[{"name":"w","template":{"spec":{"parallelism":1,"completions":1,
       "template":{"spec":{"containers":[{"name":"c","image":"i","command":["true"]}]}}}}}]}}\
      """;
  private static final String POD =
      """
      {"metadata":{"name":"pod"},"spec":{"automountServiceAccountToken":false,
       "containers":[{"name":"c","image":"i"}]}}\
      """;
  private static final String ADMIN =
      """
      {"metadata":{"name":"agent"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",
       "kind":"ClusterRole","name":"cluster-admin"},
       "subjects":[{"kind":"ServiceAccount","name":"agent","namespace":"default"}]}\
      """;

  private static final String SOCKET = "api";

  private AgentTraining() {}

  /**
   * Trains.
   *
   * @param scratch an empty folder, for the server and the log
   * @param command the agent's, with the flags it will be started with
   * @param cache where the cache is put
   * @param road how it will reach the API server
   */
  static void run(Path scratch, List<String> command, Path cache, AgentRoad road)
      throws IOException, CliFailure, InterruptedException {
    var settings =
        new ApiServer.Settings(
            scratch.resolve("server"),
            0,
            Gates.product(),
            InstantSource.system(),
            new SecureRandom());
    try (var server = ApiServer.start(settings);
        var admin = server.admin().connect(server.address())) {
      if (road == AgentRoad.SOCKET) {
        server.listenAt(scratch.resolve(SOCKET));
      }
      Path account = Files.createDirectories(scratch.resolve("account"));
      Files.writeString(account.resolve("ca.crt"), server.admin().caPem());
      Files.writeString(account.resolve("namespace"), "default");
      Files.writeString(account.resolve("token"), prepare(admin));
      Process agent = start(scratch, command, cache, account, server.address().getPort());
      try {
        lift(admin, agent);
        end(agent, cache, scratch.resolve("log"));
      } finally {
        agent.destroyForcibly();
      }
    } catch (StoreFailure e) {
      throw new IOException(e);
    }
  }

  /** Everything an agent finds on a cluster; returns its token. */
  private static String prepare(Transport admin)
      throws IOException, CliFailure, InterruptedException {
    post(admin, CORE + "serviceaccounts", "{\"metadata\":{\"name\":\"agent\"}}");
    post(admin, CORE + "serviceaccounts", "{\"metadata\":{\"name\":\"default\"}}");
    post(admin, RBAC + "clusterrolebindings", ADMIN);
    post(admin, JOB_SETS, JOB_SET);
    post(admin, CORE + "pods", POD);
    JsonNode token = post(admin, CORE + "serviceaccounts/agent/token", "{\"spec\":{}}");
    return token.path("status").path("token").asText();
  }

  private static Process start(
      Path scratch, List<String> command, Path cache, Path account, int port) throws IOException {
    var words = new ArrayList<>(command);
    words.addAll(
        1,
        List.of(
            "-XX:AOTCacheOutput=" + cache,
            "-Xlog:aot=off",
            "-Xlog:cds=off",
            "-Dregroup.agent.account=" + account));
    if (Files.exists(scratch.resolve(SOCKET))) {
      words.add(1, "-Dregroup.agent.socket=" + scratch.resolve(SOCKET));
    }
    var builder = new ProcessBuilder(words);
    builder.directory(scratch.toFile());
    builder.redirectErrorStream(true).redirectOutput(scratch.resolve("log").toFile());
    var environment = builder.environment();
    environment.put("KUBERNETES_SERVICE_HOST", "127.0.0.1");
    environment.put("KUBERNETES_SERVICE_PORT", String.valueOf(port));
    environment.put("JOBSET_NAME", "train");
    environment.put("POD_NAME", "pod");
    environment.put("WORKER_COMMAND", "exit 0");
    environment.put("IN_PLACE_RESTART_MODE", "process");
    environment.put("JOBSET_RESTART_DIR", scratch.resolve("jobset").toString());
    return builder.start();
  }

  /** Waits for the attempt, then lets the worker through. */
  private static void lift(Transport admin, Process agent)
      throws IOException, CliFailure, InterruptedException {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    try (var pods =
        admin.open(Request.get(CORE + "pods", "watch=true&fieldSelector=metadata.name%3Dpod"))) {
      while (agent.isAlive() && System.nanoTime() < deadline) {
        byte[] frame = pods.next();
        if (frame == null || new String(frame, UTF_8).contains("in-place-restart-attempt")) {
          break;
        }
      }
    }
    var status = "{\"status\":{\"currentInPlaceRestartAttempt\":0}}".getBytes(UTF_8);
    var type = "application/merge-patch+json";
    check(admin.send(Request.of("PATCH", JOB_SETS + "/train/status", type, status)));
  }

  private static void end(Process agent, Path cache, Path log)
      throws IOException, CliFailure, InterruptedException {
    boolean ended = agent.waitFor(LIMIT.toNanos(), TimeUnit.NANOSECONDS);
    if (!ended || agent.exitValue() != 0 || !Files.exists(cache)) {
      throw new CliFailure(
          "the agent's training run %s:%n%s"
              .formatted(
                  ended ? "failed with " + agent.exitValue() : "did not end",
                  Files.readString(log)));
    }
  }

  private static JsonNode post(Transport admin, String path, String body)
      throws IOException, CliFailure, InterruptedException {
    var answer = admin.send(Request.of("POST", path, "application/json", body.getBytes(UTF_8)));
    if (answer.status() == 409) {
      return Wire.object(); // somebody made it before
    }
    check(answer);
    return Wire.tree(new String(answer.body(), UTF_8));
  }

  private static void check(Response answer) throws CliFailure {
    if (!answer.ok()) {
      throw new CliFailure("the training server refused: " + new String(answer.body(), UTF_8));
    }
  }
}
