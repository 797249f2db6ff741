package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.JOB_SETS;
import static dev.regroup.e2e.Workers.PODS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A group with every kind of agent on three nodes, hit round by round: workers alone and two at
 * once, agents while the worker runs and at the barrier, the program with server, controllers and
 * nodes, one node for good. After each round all workers are in step, one restart further, for one
 * unit of the budget and two writes. {@code -Drounds.workers=50 -Drounds=20} is the long form,
 * {@code -Drounds.kinds=process} a group with agents of one kind (or some, with commas), {@code
 * -Dregroup.seed} repeats a run.
 */
@Order(3)
class RoundsIT {

  private static final int SIZE = Integer.getInteger("rounds.workers", 6);
  private static final int ROUNDS = Integer.getInteger("rounds", 6);
  private static final int BUDGET = 100;
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final String AGENT = "in-place-restart-agent";
  private static final List<String> KINDS =
      List.of(
          System.getProperty("rounds.kinds", "node,sidecar,process," + Workers.MAIN).split(","));

  private enum Blow {
    WORKER,
    TWO_WORKERS,
    AGENT_RUNNING,
    AGENT_AT_BARRIER,
    PROGRAM,
    NODE
  }

  @TempDir Path folder;

  private Cluster cluster;
  private Workers group;
  private Random random;
  private int attempt;

  /** AS-42, AS-43, AS-44, AS-52, AS-53, AS-54, AS-62, JS-136, JS-149a. */
  @Test
  void whoever_is_hit_all_go_on_in_step_for_one_restart() throws Exception {
    Root.require();
    long seed = Long.getLong("regroup.seed", System.nanoTime());
    System.out.printf(
        "rounds: -Drounds.workers=%d -Drounds=%d -Dregroup.seed=%d%n", SIZE, ROUNDS, seed);
    random = new Random(seed);
    cluster =
        Cluster.up(
            folder,
            "--nodes",
            "3",
            "--set",
            "nodeMonitorGracePeriod=5s",
            "--set",
            "podForceFailAfter=2s");
    try (var _ = cluster) {
      group = new Workers(folder, "rounds", SIZE, new Workers.Place("host", "", PATIENCE));
      cluster.kube().create(JOB_SETS, group.manifestMixed(BUDGET, sizes()));
      group.awaitLive(cluster.kube(), 0);
      for (int round = 0; round < ROUNDS; round++) {
        var blow = blow(round);
        long begun = System.nanoTime();
        try {
          round(blow);
        } catch (AssertionError e) {
          throw new AssertionError(
              "round %d of seed %d, %s, attempt %d: %s%n%s"
                  .formatted(
                      round, seed, blow, attempt, e.getMessage(), cluster.program().output()),
              e);
        }
        System.out.printf(
            "round %d: %s, %d ms%n", round, blow, (System.nanoTime() - begun) / 1_000_000);
      }
      group.exitAll(attempt, 0);
      var done = group.awaitCondition(cluster.kube(), "Completed");
      assertThat(done.path("status").path("inPlaceRestartsCountTowardsMax").asInt())
          .isEqualTo(ROUNDS);
      assertThat(group.wrongs()).isEmpty();
    }
  }

  /** Each once in an order of its own, again and again; the node is lost once. */
  private static Blow blow(int round) {
    var blows =
        KINDS.equals(List.of("node")) // no agent of its own to be hit
            ? List.of(Blow.WORKER, Blow.TWO_WORKERS, Blow.PROGRAM, Blow.NODE)
            : List.of(Blow.values());
    return round == blows.size() - 1 ? Blow.NODE : blows.get(round % (blows.size() - 1));
  }

  private static Map<String, Integer> sizes() {
    var sizes = new LinkedHashMap<String, Integer>();
    for (String kind : KINDS) {
      sizes.put(kind, SIZE / KINDS.size());
    }
    sizes.merge(KINDS.getFirst(), SIZE % KINDS.size(), Integer::sum);
    return sizes;
  }

  private void round(Blow blow) throws Exception {
    var kube = cluster.kube();
    var before = kube.get(JOB_SETS + "/" + group.name());
    switch (blow) {
      case WORKER -> group.exit(attempt, random.nextInt(SIZE), 1);
      case TWO_WORKERS -> {
        int one = random.nextInt(SIZE);
        group.exit(attempt, one, 1);
        group.exit(attempt, (one + 1 + random.nextInt(SIZE - 1)) % SIZE, 1);
      }
      case AGENT_RUNNING -> ClusterProcesses.kill(oneOf(agents()).commands().getFirst());
      case AGENT_AT_BARRIER -> atBarrier();
      case PROGRAM -> {
        group.exit(attempt, random.nextInt(SIZE), 1);
        cluster.kill();
        cluster.start();
      }
      case NODE -> loseNode();
    }
    attempt++;
    group.awaitLive(cluster.kube(), attempt);

    var status = group.jobSet(cluster.kube()).path("status");
    assertThat(status.path("currentInPlaceRestartAttempt").asInt()).isEqualTo(attempt);
    assertThat(status.path("inPlaceRestartsCountTowardsMax").asInt()).isEqualTo(attempt);
    assertThat(status.path("restarts").asInt()).isZero();
    assertThat(group.wrongs()).as("never two attempts at once").isEmpty();
    var writes = Signal.in(Signal.history(cluster.kube(), group.name(), before));
    assertThat(writes.stream().map(Signal::text))
        .as("two writes for a restart")
        .containsExactly((attempt - 1) + "/" + (attempt - 1), (attempt - 1) + "/" + attempt);
  }

  /**
   * One agent sleeps, so nobody is let through; another one that has arrived is killed. It has to
   * be back before the sleeper goes on: an agent that comes back later takes the next attempt, and
   * that is another restart (JS-129).
   */
  private void atBarrier() throws Exception {
    var asleep = oneOf(agents());
    long sleeper = asleep.commands().getFirst();
    signal(sleeper, "STOP");
    try {
      group.exit(attempt, rankOfAnother(asleep), 1);
      String next = "" + (attempt + 1);
      var arrived =
          cluster
              .kube()
              .await(
                  PODS,
                  group.podsQuery(),
                  pods ->
                      pods.values().stream().filter(pod -> waits(pod, asleep, next)).count()
                          == SIZE - sizes().getOrDefault("node", 0) - 1,
                  PATIENCE);
      var pods =
          arrived.values().stream()
              .filter(pod -> waits(pod, asleep, next))
              .collect(Collectors.toMap(RoundsIT::uid, pod -> pod));
      var victim = oneOf(agents().stream().filter(one -> pods.containsKey(one.pod())).toList());
      var pod = pods.get(victim.pod());
      awaitArrival(pod, next, Instant.MIN); // the write comes first, then the word
      var before = Instant.now();
      ClusterProcesses.kill(victim.commands().getFirst());
      awaitArrival(pod, next, before);
    } finally {
      signal(sleeper, "CONT");
    }
  }

  private void awaitArrival(JsonNode pod, String attempt, Instant since) throws Exception {
    String container =
        kind(pod).equals("sidecar")
            ? AGENT
            : pod.path("spec").path("containers").path(0).path("name").asText();
    String log = PODS + "/" + pod.path("metadata").path("name").asText() + "/log";
    cluster
        .kube()
        .awaitText(
            log,
            "timestamps=true&container=" + container,
            text ->
                text.lines()
                    .filter(line -> line.contains("at attempt " + attempt))
                    .map(line -> Instant.parse(line.substring(0, line.indexOf(' '))))
                    .anyMatch(since::isBefore),
            PATIENCE);
  }

  private static boolean waits(JsonNode pod, ClusterProcesses.One asleep, String attempt) {
    return Workers.attempt(pod).equals(attempt)
        && !uid(pod).equals(asleep.pod())
        && !kind(pod).equals("node");
  }

  /** A rank with an agent in its pod that is not this one. */
  private int rankOfAnother(ClusterProcesses.One asleep) throws Exception {
    int first = 0;
    for (var kind : sizes().entrySet()) {
      for (JsonNode pod : cluster.kube().list(PODS, group.podsQuery())) {
        boolean mine = kind(pod).equals(kind.getKey()) && !kind(pod).equals("node");
        if (mine && !uid(pod).equals(asleep.pod())) {
          return first + Integer.parseInt(index(pod));
        }
      }
      first += kind.getValue();
    }
    throw new AssertionError("no pod beside " + asleep);
  }

  private static String index(JsonNode pod) {
    return pod.at("/metadata/annotations/batch.kubernetes.io~1job-completion-index").asText();
  }

  private static void signal(long pid, String name) throws Exception {
    var kill = new ProcessBuilder("kill", "-" + name, "" + pid).start();
    assertThat(kill.waitFor()).isZero();
  }

  private void loseNode() throws Exception {
    String node = "";
    for (JsonNode pod : cluster.kube().list(PODS, group.podsQuery())) {
      String its = pod.path("spec").path("nodeName").asText();
      node = its.compareTo(node) > 0 ? its : node;
    }
    try (var kill =
        Program.start(
            Map.of(), List.of("node", "kill", node, "--data-dir", cluster.data().toString()))) {
      assertThat(kill.awaitExit(PATIENCE)).as(kill.output()).isZero();
    }
  }

  /** Programs of agents that run: beside the worker, or as its parent. */
  private List<ClusterProcesses.One> agents() throws Exception {
    var sidecars = new HashSet<String>();
    var processes = new HashSet<String>();
    for (JsonNode pod : cluster.kube().list(PODS, group.podsQuery())) {
      switch (kind(pod)) {
        case "sidecar" -> sidecars.add(uid(pod));
        case "process", Workers.MAIN -> processes.add(uid(pod));
        default -> {} // the node is the agent
      }
    }
    var all = new HashSet<>(sidecars);
    all.addAll(processes);
    var found = new ArrayList<ClusterProcesses.One>();
    for (var one : new ClusterProcesses(cluster.data(), all).supervisors()) {
      if (sidecars.contains(one.pod())
          ? one.container().contains(AGENT)
          : !one.container().contains(AGENT)) {
        found.add(one);
      }
    }
    assertThat(found).as("agents that run").isNotEmpty();
    return found;
  }

  private <T> T oneOf(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  private static String kind(JsonNode pod) {
    String kind =
        pod.at("/metadata/annotations/jobset.sigs.k8s.io~1inject-in-place-restart-agent").asText();
    return kind.equals(EntryPointAgent.ANNOTATION) ? Workers.MAIN : kind;
  }

  private static String uid(JsonNode pod) {
    return pod.path("metadata").path("uid").asText();
  }
}
