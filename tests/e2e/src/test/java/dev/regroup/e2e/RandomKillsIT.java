package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.JOB_SETS;
import static dev.regroup.e2e.Workers.LIMIT;
import static dev.regroup.e2e.Workers.PODS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Round by round a random process is killed: the program, a supervisor, a sandbox, the holder of
 * the network, a command, a prepared attempt, or all of them at once. After every round all is as
 * before, one restart further at most; in the last rounds the program lives on, and what it holds
 * stays the same. {@code -Dkills=200} kills more often, {@code -Dregroup.seed} repeats a run.
 */
@Order(2)
class RandomKillsIT {

  private static final int SIZE = 6;
  private static final int MANY = 1_000_000;

  /** The third kill of a container since the program started would have it wait for long. */
  private static final int MOST_KILLS = 2;

  private enum Kill {
    PROGRAM,
    SUPERVISOR,
    SANDBOX,
    HOLDER,
    COMMAND,
    PREPARED,
    ALL
  }

  /** What leaves the program alive: only within one life of it can its figures be compared. */
  private static final List<Kill> OF_ONE_LIFE =
      List.of(Kill.SUPERVISOR, Kill.SANDBOX, Kill.HOLDER, Kill.COMMAND, Kill.PREPARED);

  /** No two runs at once: the lock is free when the last process that had it has ended. */
  private static final String SCRIPT =
      "cd %1$s; exec 9>lock-%2$s; flock -n 9 || echo two of %2$s at once >>wrongs;"
          + " echo %2$s >>runs; exec sleep 100000";

  private static final Map<String, String> PLAIN =
      Map.of(
          "always",
          """
          restartPolicy: Always
            containers:
            - {name: main, SCRIPT}
          """,
          "failing",
          """
          restartPolicy: OnFailure
            initContainers:
            - {name: first, image: host, command: ["true"]}
            containers:
            - {name: main, SCRIPT}
          """,
          "ruled",
          """
          restartPolicy: Never
            initContainers:
            - {name: first, image: host, command: ["true"]}
            containers:
            - name: main
              restartPolicy: Never
              restartPolicyRules:
              - {action: RestartAllContainers, exitCodes: {operator: NotIn, values: [0]}}
              SCRIPT_LINES
          """);

  @TempDir Path folder;

  private Cluster cluster;
  private Workers group;
  private Random random;

  private final Map<String, String> uids = new HashMap<>(); // of the plain pods
  private final Map<String, Integer> restarts = new TreeMap<>();
  private final Map<String, Integer> kills = new HashMap<>(); // since the program started
  private int attempt;

  @Test
  void whatever_is_killed_all_come_back_in_step() throws Exception {
    Root.require();
    int rounds = Integer.getInteger("kills", 20);
    long seed = Long.getLong("regroup.seed", System.nanoTime());
    System.out.println("random kills: -Dkills=" + rounds + " -Dregroup.seed=" + seed);
    random = new Random(seed);
    cluster =
        Cluster.up(
            folder,
            Vitals.FIXED_HEAP,
            "--feature-gates",
            "ReduceDefaultCrashLoopBackOffDecay=true");
    try (var _ = cluster) {
      begin();
      int half = rounds / 2;
      rounds(0, half, List.of(Kill.values()), seed);
      kill(Kill.ALL); // from here on every container is one that this program started
      inStep();
      rounds(half, half + (rounds - half) / 2, OF_ONE_LIFE, seed); // everything has happened once
      restartGroup();
      long life = cluster.program().pid();
      int runs = runs();
      var before = Vitals.of(cluster.program(), cluster.data());
      System.out.println("random kills: after the warm-up " + before);
      rounds(half + (rounds - half) / 2, rounds, OF_ONE_LIFE, seed);
      restartGroup();
      var after = Vitals.of(cluster.program(), cluster.data());
      System.out.println("random kills: in the end " + after);
      assertThat(cluster.program().pid()).isEqualTo(life);
      assertFlat(before, after, runs() - runs);
    }
    assertThat(group.processes()).isEmpty();
  }

  /** A next attempt that was killed while it waited is made anew only with the next start. */
  private void restartGroup() throws Exception {
    var workers =
        processes().supervisors().stream().filter(one -> !uids.containsValue(one.pod())).toList();
    hit(oneOf(workers));
    inStep();
  }

  private void rounds(int from, int to, List<Kill> kinds, long seed) throws Exception {
    for (int round = from; round < to; round++) {
      var kill = oneOf(kinds);
      long begun = System.nanoTime();
      try {
        kill(kill);
        inStep();
      } catch (AssertionError e) {
        throw new AssertionError(
            "round %d of seed %d, %s, attempt %d: %s%n%s"
                .formatted(round, seed, kill, attempt, e.getMessage(), cluster.program().output()),
            e);
      }
      long millis = (System.nanoTime() - begun) / 1_000_000;
      System.out.printf("round %d: %s, %d ms%n", round, kill, millis);
    }
  }

  private void begin() throws Exception {
    group = new Workers(folder, "group", SIZE);
    cluster.kube().create(JOB_SETS, group.manifest(MANY));
    for (var pod : PLAIN.entrySet()) {
      cluster.kube().create(PODS, manifest(pod.getKey(), pod.getValue()));
      restarts.put(pod.getKey(), 0);
    }
    inStep();
  }

  private String manifest(String name, String spec) throws IOException {
    Path shared = Files.createDirectories(folder.resolve("plain"));
    String command = "command: [sh, -c, \"" + SCRIPT.formatted(shared, name) + "\"]";
    String mounts = "volumeMounts: [{name: shared, mountPath: %s}]".formatted(shared);
    String lines = "image: host\n    " + command + "\n    " + mounts;
    return "apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec:\n  ".formatted(name)
        + spec.replace("SCRIPT_LINES", lines)
            .replace("SCRIPT", "image: host, " + command + ", " + mounts)
        + "  volumes:\n  - {name: shared, hostPath: {path: %s}}\n".formatted(shared);
  }

  private void kill(Kill kill) throws Exception {
    var processes = processes();
    switch (kill) {
      case PROGRAM -> {
        cluster.kill();
        started();
      }
      case ALL -> {
        cluster.kill();
        processes.killAll();
        started();
        attempt++;
        restarts.replaceAll((_, count) -> count + 1);
      }
      case HOLDER -> {
        long old = processes.holder();
        ClusterProcesses.kill(old);
        ClusterProcesses.await(() -> holder(processes) != old, "another holder");
      }
      case PREPARED -> {
        var prepared = processes.prepared();
        if (!prepared.isEmpty()) { // else they are being made
          ClusterProcesses.kill(oneOf(prepared).pid());
        }
      }
      case SUPERVISOR -> hit(oneOf(patient(processes.supervisors())));
      case SANDBOX -> hit(oneOf(patient(processes.sandboxes())));
      case COMMAND -> {
        var victim = oneOf(patient(processes.supervisors()));
        long command = victim.commands().getFirst();
        hit(new ClusterProcesses.One(command, victim.pod(), victim.container()));
      }
    }
  }

  private void started() throws Exception {
    cluster.start();
    kills.clear(); // back-off is forgotten with the program (BKO-06)
  }

  private static long holder(ClusterProcesses processes) {
    try {
      return processes.holder();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Those of pods that would start again at once. */
  private List<ClusterProcesses.One> patient(List<ClusterProcesses.One> all) {
    return all.stream().filter(one -> kills.getOrDefault(one.pod(), 0) < MOST_KILLS).toList();
  }

  /** Kills it and notes what must follow. */
  private void hit(ClusterProcesses.One victim) {
    boolean plain = uids.containsValue(victim.pod());
    if (plain) {
      kills.merge(victim.pod(), 1, Integer::sum);
      uids.forEach((name, uid) -> {
        if (uid.equals(victim.pod())) {
          restarts.merge(name, 1, Integer::sum);
        }
      });
    } else {
      attempt++;
    }
    ClusterProcesses.kill(victim.pid());
  }

  private <T> T oneOf(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  private ClusterProcesses processes() throws Exception {
    var pods = new HashSet<>(uids.values());
    for (JsonNode pod : cluster.kube().list(PODS, group.podsQuery())) {
      pods.add(pod.path("metadata").path("uid").asText());
    }
    return new ClusterProcesses(cluster.data(), pods);
  }

  /** Every pod runs, the group at one attempt; nothing ran twice, beside another or in vain. */
  private void inStep() throws Exception {
    for (JsonNode pod : group.awaitRunning(cluster.kube(), attempt).values()) {
      assertThat(Workers.restarts(pod)).as("restarts of %s", pod).isEqualTo(attempt);
    }
    var status = group.jobSet(cluster.kube()).path("status");
    assertThat(status.path("currentInPlaceRestartAttempt").asInt()).isEqualTo(attempt);
    assertThat(status.path("inPlaceRestartsCountTowardsMax").asInt()).isLessThanOrEqualTo(attempt);
    assertThat(status.path("restarts").asInt()).isZero();
    assertThat(group.wrongs()).isEmpty();
    assertThat(group.processes()).hasSize(SIZE).allMatch(worker -> worker.attempt() == attempt);
    for (var pod : restarts.entrySet()) {
      var seen =
          cluster.kube().awaitOne(PODS, pod.getKey(), one -> isReady(one, pod.getValue()), LIMIT);
      uids.put(pod.getKey(), seen.path("metadata").path("uid").asText());
    }
    assertThat(cluster.program().output()).doesNotContain("status refused");
    Path plain = folder.resolve("plain");
    assertThat(plain.resolve("wrongs")).doesNotExist();
    for (var pod : restarts.entrySet()) { // a command that runs says so a little later
      int runs = pod.getValue() + 1;
      ClusterProcesses.await(() -> runs(pod.getKey()) >= runs, "run " + runs + " of " + pod);
      assertThat(runs(pod.getKey())).as("runs of %s", pod).isEqualTo(runs);
    }
  }

  private long runs(String pod) {
    try {
      return Files.readAllLines(folder.resolve("plain").resolve("runs")).stream()
          .filter(pod::equals)
          .count();
    } catch (NoSuchFileException e) {
      return 0;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean isReady(JsonNode pod, int restarts) {
    return Workers.running(pod)
        && Kube.condition(pod, "Ready").path("status").asText().equals("True")
        && Workers.restarts(pod) == restarts;
  }

  /** How often containers ran at most; each leaves its log. */
  private int runs() {
    return SIZE * attempt + 2 * restarts.values().stream().mapToInt(Integer::intValue).sum();
  }

  /**
   * Nothing but logs is left of what was killed, and hardly any memory. A plain pod has two
   * descriptors less while its next attempt is missing.
   */
  private static void assertFlat(Vitals before, Vitals after, int runs) {
    assertThat(after.zombies()).as("zombies").isZero();
    assertThat(after.descriptors())
        .as("descriptors")
        .isLessThanOrEqualTo(before.descriptors() + 2 * PLAIN.size());
    assertThat(after.threads()).as("threads").isLessThanOrEqualTo(before.threads() + 4);
    assertThat(after.files()).as("files").isLessThanOrEqualTo(before.files() + runs + 4);
    assertThat(after.objects()).as("objects").isLessThan(before.objects() + Vitals.MEBI);
    assertThat(after.resident()).as("resident").isLessThan(before.resident() + 16 * Vitals.MEBI);
  }
}
