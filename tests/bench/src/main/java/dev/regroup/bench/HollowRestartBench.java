package dev.regroup.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.regroup.api.Wire;
import dev.regroup.bench.outside.OutsideClients;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import dev.regroup.store.Settings;
import dev.regroup.store.Store;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A group restart as the server sees it, without any container: an agent for each pod of a JobSet
 * watches it, writes its attempt into the pod's annotation, and begins anew when it is told to. One
 * begins anew by itself: how long until all have seen the barrier lifted, how much of the server's
 * time does a pod cost, and how much memory do all of them hold? The agents live in this process,
 * the server in another. The floor is what no server is spared: each pod decoded, encoded and
 * stored durably; of memory, the server before there was an agent.
 */
final class HollowRestartBench implements Benchmark {

  /** The kernel counts processor time in such steps; what shows none may have cost one. */
  private static final Duration STEP = Duration.ofMillis(10);

  private static final int JOBS = 5;
  private static final int WARM_UP = 5;
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final String PODS = "/api/v1/namespaces/default/pods";
  private static final String JOB_SETS =
      "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets";
  private static final String LEASES =
      "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
  private static final String JSON = "application/json";
  private static final String MERGE = "application/merge-patch+json";
  private static final String STRATEGIC = "application/strategic-merge-patch+json";

  private final int size;
  private final AgentRoads.Kind kind;
  private final Map<Integer, CountDownLatch> lifted = new ConcurrentHashMap<>();

  HollowRestartBench(int size) {
    this(size, AgentRoads.Kind.SHARED);
  }

  HollowRestartBench(int size, AgentRoads.Kind kind) {
    this.size = size;
    this.kind = kind;
  }

  @Override
  public String name() {
    return switch (kind) {
      case SHARED -> "hollow-restart-" + size;
      case OF_THEIR_OWN -> "hollow-restart-" + size + "-connections";
    };
  }

  @Override
  public List<Figure> run(Path folder, Effort effort) throws Exception {
    lifted.clear();
    try (var server = OutsideServer.start(folder);
        var store = Store.open(folder.resolve("floor"), Settings.STANDARD)) {
      var admin = server.clients().connect();
      OutsideServer.awaitAccount(admin);
      double before = server.megabytes();
      var pods = group(admin);
      var roads = AgentRoads.open(kind, server, admin, pods);
      var agents = new ArrayList<Agent>();
      for (int i = 0; i < size; i++) {
        agents.add(new Agent(roads, i, pods.get(i)));
      }
      try {
        agents.forEach(Agent::start);
        await(0);
        return measure(server, admin, agents, store, before, Math.max(3, effort.rounds() / 5));
      } finally {
        agents.forEach(Agent::close);
      }
    }
  }

  private List<Figure> measure(
      OutsideServer server,
      Transport admin,
      List<Agent> agents,
      Store store,
      double before,
      int rounds)
      throws Exception {
    var times = new ArrayList<Duration>();
    var floors = new ArrayList<Duration>();
    var cpu = new ArrayList<Double>();
    var cpuFloors = new ArrayList<Double>();
    var memory = new ArrayList<Double>();
    var numbers = new AtomicInteger();
    for (int round = 0; round < WARM_UP + rounds; round++) {
      renew(admin);
      long floorCpu = ownCpu();
      var floor = floor(store, numbers);
      double floorMillis = Math.max(STEP.toNanos(), ownCpu() - floorCpu) / 1e6 / size;

      var spent = server.cpu();
      long begin = System.nanoTime();
      agents.get(round % size).again();
      await(round + 1);
      var took = Duration.ofNanos(System.nanoTime() - begin);

      if (round >= WARM_UP) {
        times.add(took);
        floors.add(floor);
        cpu.add(server.cpu().minus(spent).toNanos() / 1e6 / size);
        cpuFloors.add(floorMillis);
        memory.add(server.megabytes());
      }
    }
    return List.of(
        new Figure(name(), Figure.Unit.MILLIS, Samples.ofMillis(times), Samples.ofMillis(floors)),
        new Figure(name() + "-cpu", Figure.Unit.MILLIS, new Samples(cpu), new Samples(cpuFloors)),
        new Figure(
            name() + "-memory",
            Figure.Unit.MEGABYTES,
            new Samples(memory),
            new Samples(List.of(before))));
  }

  private static long ownCpu() {
    var system = ManagementFactory.getOperatingSystemMXBean();
    return ((com.sun.management.OperatingSystemMXBean) system).getProcessCpuTime();
  }

  /** As many objects as there are pods, from sixteen writers. */
  private Duration floor(Store store, AtomicInteger numbers) throws Exception {
    long begin = System.nanoTime();
    sideBySide(
        size,
        _ -> {
          int number = numbers.getAndIncrement();
          byte[] encoded = Wire.write(Wire.tree(OutsideLoad.pod(number).getBytes(UTF_8)));
          store.create("objects", "n/" + number, _ -> encoded);
        });
    return Duration.ofNanos(System.nanoTime() - begin);
  }

  private static void sideBySide(int count, Rate.Write work) throws Exception {
    try (var workers = Executors.newVirtualThreadPerTaskExecutor()) {
      var next = new AtomicInteger();
      var running = new ArrayList<java.util.concurrent.Future<?>>();
      for (int i = 0; i < Rate.CLIENTS; i++) {
        running.add(
            workers.submit(() -> {
              for (int one = next.getAndIncrement(); one < count; ) {
                work.perform(one);
                one = next.getAndIncrement();
              }
              return null;
            }));
      }
      for (var one : running) {
        one.get();
      }
    }
  }

  private CountDownLatch of(int attempt) {
    return lifted.computeIfAbsent(attempt, _ -> new CountDownLatch(size));
  }

  private void await(int attempt) throws InterruptedException {
    if (!of(attempt).await(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      throw new IllegalStateException(
          "attempt %d: %d agents still wait".formatted(attempt, of(attempt).getCount()));
    }
  }

  /** The JobSet, a node that is there in name only, and its pods, which say that they run. */
  private List<String> group(Transport admin) throws Exception {
    OutsideClients.send(
        admin, "POST", "/api/v1/nodes", JSON, "{\"metadata\":{\"name\":\"hollow\"}}");
    var now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    OutsideClients.send(
        admin,
        "PATCH",
        "/api/v1/nodes/hollow/status",
        STRATEGIC,
        """
        {"status":{"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady",
        "lastHeartbeatTime":"%s","lastTransitionTime":"%s"}]}}
        """
            .formatted(now, now));
    OutsideClients.send(
        admin,
        "POST",
        LEASES,
        JSON,
        """
        {"metadata":{"name":"hollow"},"spec":{"holderIdentity":"hollow","leaseDurationSeconds":40,
        "renewTime":"%s"}}
        """
            .formatted(micros()));
    OutsideClients.send(admin, "POST", JOB_SETS, JSON, manifest());
    var names = new LinkedHashSet<String>();
    var query = "watch=true&labelSelector=jobset.sigs.k8s.io%2Fjobset-name%3Djs";
    try (var stream = admin.open(Request.get(PODS, query))) {
      while (names.size() < size) {
        var event = Wire.tree(java.util.Objects.requireNonNull(stream.next(), "the watch ended"));
        names.add(event.path("object").path("metadata").path("name").asText());
      }
    }
    var pods = List.copyOf(names);
    sideBySide(size, number -> run(admin, pods.get(number)));
    return pods;
  }

  private static void run(Transport admin, String pod) throws Exception {
    OutsideClients.send(
        admin,
        "POST",
        PODS + "/" + pod + "/binding",
        JSON,
        "{\"metadata\":{\"name\":\"%s\"},\"target\":{\"kind\":\"Node\",\"name\":\"hollow\"}}"
            .formatted(pod));
    var now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    OutsideClients.send(
        admin,
        "PATCH",
        PODS + "/" + pod + "/status",
        STRATEGIC,
        """
        {"status":{"phase":"Running","startTime":"%1$s","conditions":[
        {"type":"Ready","status":"True","lastTransitionTime":"%1$s"}],"containerStatuses":[
        {"name":"worker","image":"w:1","imageID":"sha256:2","containerID":"x://2","ready":true,
        "started":true,"restartCount":0,"state":{"running":{"startedAt":"%1$s"}}}]}}
        """
            .formatted(now));
  }

  private static void renew(Transport admin) throws Exception {
    OutsideClients.send(
        admin,
        "PATCH",
        LEASES + "/hollow",
        MERGE,
        "{\"spec\":{\"renewTime\":\"" + micros() + "\"}}");
  }

  private static String micros() {
    return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString().replace("Z", ".000000Z");
  }

  private String manifest() {
    return """
    {"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet","metadata":{"name":"js"},"spec":{
    "failurePolicy":{"maxRestarts":100000,"restartStrategy":"InPlaceRestart"},"replicatedJobs":[
    {"name":"w","replicas":%1$d,"template":{"spec":{"completions":%2$d,"parallelism":%2$d,
    "completionMode":"Indexed","backoffLimit":2147483647,"podReplacementPolicy":"Failed",
    "template":{"spec":{"restartPolicy":"Never","schedulerName":"nobody","tolerations":[
    {"operator":"Exists"}],"initContainers":[{"name":"agent","image":"agent:1","restartPolicy":
    "Always","restartPolicyRules":[{"action":"RestartAllContainers","exitCodes":{"operator":
    "NotIn","values":[0]}}]}],"containers":[{"name":"worker","image":"w:1","restartPolicy":"Never",
    "restartPolicyRules":[{"action":"RestartAllContainers","exitCodes":{"operator":"NotIn",
    "values":[0]}}],"resources":{"requests":{"cpu":"1","memory":"1Gi"}}}]}}}}}]}}
    """
        .formatted(JOBS, size / JOBS);
  }

  /** What stands in a pod of such a group, without the pod. One thread; another one may end it. */
  private final class Agent implements AutoCloseable {
    private final AgentRoads roads;
    private final int number;
    private final String pod;
    private volatile Transport.@Nullable Stream stream;
    private volatile boolean closed;

    private Agent(AgentRoads roads, int number, String pod) {
      this.roads = roads;
      this.number = number;
      this.pod = pod;
    }

    private void start() {
      Thread.ofVirtual().name("agent-" + pod).start(this::live);
    }

    /** As if its process had died. */
    private void again() {
      var open = stream;
      if (open != null) {
        open.close();
      }
    }

    @Override
    public void close() {
      closed = true;
      again();
    }

    private void live() {
      while (!closed) {
        var query =
            "watch=true&fieldSelector=metadata.name%3Djs&sendInitialEvents=true"
                + "&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
        try (var road = roads.enter(number, pod);
            var watch = road.transport().open(Request.get(JOB_SETS, query))) {
          stream = watch;
          attempt(road.transport(), watch);
        } catch (java.io.IOException e) {
          stream = null; // it was told to begin anew, or its server has ended
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return;
        }
      }
    }

    /** From its first look at the group until it has to begin anew. */
    private void attempt(Transport transport, Transport.Stream watch)
        throws java.io.IOException, InterruptedException {
      int mine = -1;
      boolean open = false;
      for (var frame = watch.next(); frame != null; frame = watch.next()) {
        var event = new String(frame, UTF_8);
        if (event.startsWith("{\"type\":\"BOOKMARK\"")) {
          continue;
        }
        int current = numberIn(event, "\"currentInPlaceRestartAttempt\":");
        if (mine < 0) {
          mine = current + 1;
          write(transport, mine);
        }
        if (numberIn(event, "\"previousInPlaceRestartAttempt\":") >= mine) {
          return;
        }
        if (current == mine && !open) {
          open = true;
          of(mine).countDown();
        }
      }
    }

    private void write(Transport transport, int attempt)
        throws java.io.IOException, InterruptedException {
      OutsideClients.send(
          transport,
          "PATCH",
          PODS + "/" + pod,
          MERGE,
          "{\"metadata\":{\"annotations\":{\"jobset.sigs.k8s.io/in-place-restart-attempt\":\"%d\"}}}"
              .formatted(attempt));
    }

    /** The number behind the key; -1 when there is none. */
    private static int numberIn(String event, String key) {
      int at = event.indexOf(key);
      if (at < 0) {
        return -1;
      }
      int end = at + key.length();
      while (Character.isDigit(event.charAt(end))) {
        end++;
      }
      return Integer.parseInt(event.substring(at + key.length(), end));
    }
  }
}
