package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.JOB_SETS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The whole program is killed in the middle of group restarts and started again over the same
 * directory. One group lives through all of it; every round is one more group restart, whatever
 * happens in between. Another group is never disturbed and must not notice anything. {@code
 * -Dcrash.moments=20} kills at more moments, {@code -Dregroup.seed} repeats a run.
 */
@Order(1)
class CrashIT {

  private static final int SIZE = 4;
  private static final int MOMENTS = Integer.getInteger("crash.moments", 6);
  private static final int MANY = 1_000_000;

  /** What node and controller do in every group restart; what else they did is tried, too. */
  private static final List<String> EFFECTS =
      List.of("remember", "signal", "remove", "start", "emit", "order", "lift");

  /** Done as often in every restart; writes are as many as changes come apart. */
  private static final Set<String> COUNTED =
      Set.of("after-remember", "after-signal", "after-remove", "after-start");

  @TempDir static Path folder;

  private static Cluster cluster;
  private static Workers bystanders;
  private static List<Workers.Running> undisturbed;

  /** The group of one test. */
  private Workers group;

  private Map<String, String> identities;

  /** The attempt the group is at, or on its way to. */
  private int attempt;

  @BeforeAll
  static void start() throws Exception {
    Root.require();
    Files.createDirectories(crashes());
    cluster = Cluster.up(folder, crashable());
    bystanders = new Workers(folder, "bystanders", 2);
    cluster.kube().create(JOB_SETS, bystanders.manifest(MANY));
    bystanders.awaitRunning(cluster.kube(), 0);
    undisturbed = bystanders.processes();
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void a_crash_before_or_after_any_effect_changes_nothing() throws Exception {
    begin("effects");
    restart();
    var reached = reachedInOneRestart();
    for (String point : points(reached)) {
      try {
        crashAt(point);
      } catch (AssertionError e) {
        throw told("crash point " + point, e);
      }
    }
    complete();
  }

  @Test
  void a_crash_at_any_moment_changes_nothing() throws Exception {
    long seed = Long.getLong("regroup.seed", System.nanoTime());
    System.out.println("crash moments: -Dregroup.seed=" + seed);
    var random = new Random(seed);
    begin("moments");
    restart();
    long begun = System.nanoTime();
    restart();
    long usual = System.nanoTime() - begun;

    for (int round = 0; round < MOMENTS; round++) {
      long moment = (long) (usual * 1.2 * random.nextDouble());
      try {
        fail(random.nextInt(SIZE));
        TimeUnit.NANOSECONDS.sleep(moment); // no fact to wait for: any moment will do
        cluster.kill();
        recover();
      } catch (AssertionError e) {
        String where = "seed %d, round %d, killed after %d ms";
        throw told(where.formatted(seed, round, moment / 1_000_000), e);
      }
    }
    complete();
  }

  private void begin(String name) throws Exception {
    group = new Workers(folder, name, SIZE);
    cluster.kube().create(JOB_SETS, group.manifest(MANY));
    identities = Workers.identities(group.awaitRunning(cluster.kube(), 0));
  }

  /** Lets one worker fail: the group goes to its next attempt. */
  private void fail(int rank) throws IOException {
    group.exit(attempt, rank, 1);
    attempt++;
  }

  /** A group restart that nobody disturbs. */
  private void restart() throws Exception {
    fail(0);
    atRest(List.of());
  }

  /** How often each point is reached in a group restart that nobody disturbs. */
  private Map<String, Integer> reachedInOneRestart() throws Exception {
    Path reached = crashes().resolve("reached");
    Files.deleteIfExists(reached);
    restart();
    ClusterProcesses.await(() -> read(reached).keySet().containsAll(expected()), "all effects");
    return read(reached);
  }

  /** What is done is noted a little later than it is seen. */
  private static List<String> expected() {
    return EFFECTS.stream()
        .flatMap(effect -> Stream.of("before-" + effect, "after-" + effect))
        .toList();
  }

  private static Map<String, Integer> read(Path reached) {
    var times = new TreeMap<String, Integer>();
    try {
      Files.readAllLines(reached).forEach(point -> times.merge(point, 1, Integer::sum));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return times;
  }

  /** Each point when it is reached first, and those counted when half of the pods have done it. */
  private static List<String> points(Map<String, Integer> reached) {
    var points = new ArrayList<String>();
    reached.forEach((point, times) -> {
      points.add(point + "#1");
      if (COUNTED.contains(point) && times > 2) {
        points.add(point + "#" + (times + 1) / 2);
      }
    });
    return points;
  }

  private void crashAt(String point) throws Exception {
    Path order = crashes().resolve("at");
    Path draft = Files.writeString(crashes().resolve("draft"), point);
    Files.move(draft, order, StandardCopyOption.ATOMIC_MOVE);
    fail(attempt % SIZE);
    assertThat(cluster.program().awaitExit(Workers.LIMIT)).as("reached").isEqualTo(Program.KILLED);
    Files.delete(order);
    recover();
  }

  /** Starts the program again; whoever was alive before must be alive after. */
  private void recover() throws Exception {
    var survivors = group.processes();
    cluster.start();
    atRest(survivors);
  }

  /**
   * Waits until all run the attempt the group is at, and checks that it took one cycle: the same
   * pods, every count once more, one signal, no worker twice; and that the workers which had
   * started before the crash are the same processes.
   */
  private void atRest(List<Workers.Running> survivors) throws Exception {
    var pods = group.awaitRunning(cluster.kube(), attempt);
    assertThat(Workers.identities(pods)).isEqualTo(identities);
    for (JsonNode pod : pods.values()) {
      assertThat(Workers.restarts(pod)).as("restarts of %s", pod).isEqualTo(attempt);
    }
    var status = group.jobSet(cluster.kube()).path("status");
    assertThat(status.path("currentInPlaceRestartAttempt").asInt()).isEqualTo(attempt);
    assertThat(status.path("previousInPlaceRestartAttempt").asInt(-1)).isEqualTo(attempt - 1);
    assertThat(status.path("inPlaceRestartsCountTowardsMax").asInt()).isEqualTo(attempt);
    assertThat(status.path("restarts").asInt()).isZero();
    assertThat(group.wrongs()).isEmpty();
    var now = group.processes();
    assertThat(now).hasSize(SIZE).allMatch(worker -> worker.attempt() == attempt);
    assertThat(now)
        .as("adopted")
        .containsAll(survivors.stream().filter(one -> one.attempt() == attempt).toList());
    assertThat(bystanders.processes()).as("bystanders").isEqualTo(undisturbed);
  }

  /** After all that the workers end well, and so does the group. */
  private void complete() throws Exception {
    group.exitAll(attempt, 0);
    group.awaitCondition(cluster.kube(), "Completed");
    for (JsonNode pod : bystanders.awaitRunning(cluster.kube(), 0).values()) {
      assertThat(Workers.restarts(pod)).isZero();
    }
  }

  private AssertionError told(String where, AssertionError failure) {
    return new AssertionError(
        "%s, attempt %d: %s%n%s"
            .formatted(where, attempt, failure.getMessage(), cluster.program().output()),
        failure);
  }

  private static Path crashes() {
    return folder.resolve("crashes");
  }

  private static Map<String, String> crashable() {
    return Map.of("REGROUP_CRASH_AT", "@" + crashes());
  }
}
