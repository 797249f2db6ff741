package dev.regroup.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import dev.regroup.cli.image.AgentFolder;
import dev.regroup.cli.image.AgentImage;
import dev.regroup.cli.image.AgentJar;
import dev.regroup.cli.image.AgentRoad;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import dev.regroup.server.ApiServer;
import dev.regroup.server.access.Identity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/**
 * A sidecar agent as its image has it, from the start of its process until a watch of the pod shows
 * its attempt; the processor time and the memory it has used by then. The floor is a Java process
 * that does nothing.
 */
final class AgentStartBench implements Benchmark {

  private static final String SOCKET = "api";
  private static final String IMAGE = "image";
  private static final String CORE = "/api/v1/namespaces/default/";
  private static final String ATTEMPT = "jobset.sigs.k8s.io/in-place-restart-attempt";

  /** What one start cost. */
  private record Cost(Duration time, Duration cpu, double megabytes) {}

  @Override
  public String name() {
    return "agent-start";
  }

  @Override
  public List<Figure> run(Path folder, Effort effort) throws Exception {
    AgentImage.write(
        Files.createDirectory(folder.resolve(IMAGE)), folder.resolve("agent.tar"), "a/b:c");
    AgentJar.write(folder.resolve("agent.jar"));
    AgentFolder.train(folder.resolve("regroup-local.jar"), AgentRoad.SOCKET);
    var settings =
        new ApiServer.Settings(
            folder.resolve("server"),
            0,
            Gates.product(),
            InstantSource.system(),
            new SecureRandom());
    var agents = new ArrayList<Cost>();
    var local = new ArrayList<Cost>();
    var floors = new ArrayList<Cost>();
    try (var server = ApiServer.start(settings)) {
      var admin = server.inProcess(Identity.admin());
      prepare(admin, server, folder);
      server.listenAt(folder.resolve(SOCKET));
      for (int round = 0; round < effort.rounds(); round++) {
        floors.add(nothing());
        agents.add(once(admin, server, folder, "pod-" + round, AgentRoad.NETWORK));
        local.add(once(admin, server, folder, "local-" + round, AgentRoad.SOCKET));
      }
    }
    return List.of(
        new Figure("agent-start", Figure.Unit.MILLIS, times(agents), times(floors)),
        new Figure("agent-start-cpu", Figure.Unit.MILLIS, cpu(agents), cpu(floors)),
        new Figure("agent-memory", Figure.Unit.MEGABYTES, memory(agents), memory(floors)),
        new Figure("agent-start-local", Figure.Unit.MILLIS, times(local), times(floors)),
        new Figure("agent-start-local-cpu", Figure.Unit.MILLIS, cpu(local), cpu(floors)));
  }

  private static Samples times(List<Cost> costs) {
    return Samples.ofMillis(costs.stream().map(Cost::time).toList());
  }

  private static Samples cpu(List<Cost> costs) {
    return Samples.ofMillis(costs.stream().map(Cost::cpu).toList());
  }

  private static Samples memory(List<Cost> costs) {
    return new Samples(costs.stream().map(Cost::megabytes).toList());
  }

  private static void prepare(Transport admin, ApiServer server, Path folder) throws Exception {
    post(admin, CORE + "serviceaccounts", "{\"metadata\":{\"name\":\"agent\"}}");
    post(
        admin,
        "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
        """
        {"metadata":{"name":"agent"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",
         "kind":"ClusterRole","name":"cluster-admin"},
         "subjects":[{"kind":"ServiceAccount","name":"agent","namespace":"default"}]}\
        """);
    post(
        admin,
        "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets",
        """
        {"metadata":{"name":"train"},"spec":{"failurePolicy":{"restartStrategy":"InPlaceRestart"},
         "replicatedJobs":[{"name":"w","template":{"spec":{"parallelism":1,"completions":1,
         "template":{"spec":{"containers":[{"name":"c","image":"i","command":["true"]}]}}}}}]}}\
        """);
    String token = post(admin, CORE + "serviceaccounts/agent/token", "{\"spec\":{}}");
    Path account = Files.createDirectories(folder.resolve("account"));
    Files.writeString(account.resolve("ca.crt"), server.admin().caPem());
    Files.writeString(account.resolve("namespace"), "default");
    Files.writeString(
        account.resolve("token"), Wire.tree(token).path("status").path("token").asText());
  }

  private static String post(Transport admin, String path, String body) throws Exception {
    var answer = admin.send(Request.of("POST", path, "application/json", body.getBytes(UTF_8)));
    if (!answer.ok()) {
      throw new IOException(path + ": " + new String(answer.body(), UTF_8));
    }
    return new String(answer.body(), UTF_8);
  }

  private static Cost once(
      Transport admin, ApiServer server, Path folder, String pod, AgentRoad road) throws Exception {
    post(
        admin,
        CORE + "pods",
        "{\"metadata\":{\"name\":\"%s\"},\"spec\":{\"serviceAccountName\":\"agent\",\"automountServiceAccountToken\":false,\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}"
            .formatted(pod));
    var builder = new ProcessBuilder(command(folder, road));
    builder.environment().put("KUBERNETES_SERVICE_HOST", "127.0.0.1");
    builder
        .environment()
        .put("KUBERNETES_SERVICE_PORT", String.valueOf(server.address().getPort()));
    builder.environment().put("JOBSET_NAME", "train");
    builder.environment().put("POD_NAME", pod);
    builder.redirectErrorStream(true).redirectOutput(folder.resolve("log").toFile());
    var query = "watch=true&fieldSelector=metadata.name%3D" + pod;
    try (var watch = admin.open(Request.get(CORE + "pods", query))) {
      long begin = System.nanoTime();
      Process agent = builder.start();
      try {
        byte[] frame = watch.next();
        while (frame != null && !new String(frame, UTF_8).contains(ATTEMPT)) {
          frame = watch.next();
        }
        var time = Duration.ofNanos(System.nanoTime() - begin);
        return cost(time, agent);
      } finally {
        agent.destroyForcibly().waitFor();
      }
    }
  }

  /** By TLS with what the image holds, through the socket with what the node mounts. */
  private static List<String> command(Path folder, AgentRoad road) {
    boolean local = road == AgentRoad.SOCKET;
    Path home = local ? folder : folder.resolve(IMAGE).resolve("root/in-place-restart");
    var command = new ArrayList<String>();
    command.add(local ? java() : home.resolve("java/bin/java").toString());
    command.addAll(AgentImage.FLAGS);
    if (local) {
      command.add("-Dregroup.agent.socket=" + folder.resolve(SOCKET));
    }
    command.addAll(
        List.of(
            "-XX:AOTCache=" + home.resolve(local ? "agent-local.aot" : "agent.aot"),
            "-Dregroup.agent.account=" + folder.resolve("account"),
            "-jar",
            home.resolve("agent.jar").toString()));
    return command;
  }

  /** A Java process with the same flags that is up and waits for its input. */
  private static Cost nothing() throws Exception {
    var command = new ArrayList<String>();
    command.add(java());
    command.addAll(AgentImage.FLAGS);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Nothing.class.getName()));
    long begin = System.nanoTime();
    Process process = new ProcessBuilder(command).start();
    try {
      process.getInputStream().read();
      return cost(Duration.ofNanos(System.nanoTime() - begin), process);
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  /** Says one byte and waits. */
  static final class Nothing {
    private Nothing() {}

    public static void main(String[] args) throws IOException {
      System.out.write('x');
      System.out.flush();
      int ignored = System.in.read();
    }
  }

  private static Cost cost(Duration time, Process process) throws IOException {
    Path proc = Path.of("/proc/" + process.pid());
    long nanos = 0;
    try (var threads = Files.list(proc.resolve("task"))) {
      for (Path thread : threads.toList()) {
        nanos += Long.parseLong(Files.readString(thread.resolve("schedstat")).split(" ", -1)[0]);
      }
    }
    double kilobytes =
        Files.readAllLines(proc.resolve("status")).stream()
            .filter(line -> line.startsWith("VmRSS:"))
            .mapToDouble(line -> Double.parseDouble(line.replaceAll("[^0-9]", "")))
            .findFirst()
            .orElse(0);
    return new Cost(time, Duration.ofNanos(nanos), kilobytes / 1_024);
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }
}
