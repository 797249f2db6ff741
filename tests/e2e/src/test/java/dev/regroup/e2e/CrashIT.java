package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.JOB_SETS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The whole program is killed in the middle of group restarts and started again over the same
 * directory. One group lives through all of it; every round is one more group restart, whatever
 * happens in between.
 */
class CrashIT {

  private static final int SIZE = 4;
  private static final int RANDOM_ROUNDS = 20;

  @TempDir static Path folder;

  private static Cluster cluster;
  private static Workers group;
  private static Map<String, String> identities;

  /** The attempt the group is at, or on its way to. */
  private static int attempt;

  @BeforeAll
  static void start() throws Exception {
    Root.require();
    cluster = Cluster.up(folder);
    group = new Workers(folder, "crash", SIZE);
    cluster.kube().create(JOB_SETS, group.manifest(1_000_000));
    identities = Workers.identities(group.awaitRunning(cluster.kube(), 0));
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void a_crash_at_any_moment_changes_nothing() throws Exception {
    long seed = Long.getLong("regroup.seed", System.nanoTime());
    System.out.println("crash moments: -Dregroup.seed=" + seed);
    var random = new Random(seed);
    long usual = undisturbed().toNanos();

    for (int round = 0; round < RANDOM_ROUNDS; round++) {
      long moment = (long) (usual * 1.2 * random.nextDouble());
      try {
        group.exit(attempt, random.nextInt(SIZE), 1);
        attempt++;
        TimeUnit.NANOSECONDS.sleep(moment); // no fact to wait for: any moment will do
        cluster.kill();
        var survivors = group.processes();
        cluster.start(Map.of());
        atRest(survivors);
      } catch (AssertionError e) {
        throw new AssertionError(
            "seed %d, round %d, killed after %d ms, attempt %d: %s%n%s"
                .formatted(
                    seed,
                    round,
                    moment / 1_000_000,
                    attempt,
                    e.getMessage(),
                    cluster.program().output()),
            e);
      }
    }
  }

  /** Something that takes time and needs the program. */
  private interface Waiting {
    void run() throws Exception;
  }

  /** Waits for the fact or the end of the program, and returns whether it was the fact. */
  private static boolean livesUntil(Waiting fact) throws Exception {
    var failures = new ArrayList<Throwable>();
    var waiting =
        Thread.ofPlatform()
            .name("fact")
            .start(() -> {
              try {
                fact.run();
              } catch (Exception | AssertionError e) {
                failures.add(e); // read after join
              }
            });
    var _ = cluster.program().onExit().thenRun(waiting::interrupt);
    waiting.join();
    if (cluster.program().killed()) {
      return false;
    }
    for (Throwable failure : failures) {
      throw new AssertionError(failure.getMessage(), failure);
    }
    return true;
  }

  /** How long a group restart takes when nobody disturbs it. */
  private static Duration undisturbed() throws Exception {
    atRest(List.of());
    long begun = System.nanoTime();
    group.exit(attempt, 0, 1);
    attempt++;
    group.awaitRunning(cluster.kube(), attempt);
    return Duration.ofNanos(System.nanoTime() - begun);
  }

  /**
   * Waits until all run the attempt the group is at, and checks that it took one cycle: the same
   * pods, every count once more, one signal, no worker twice; and that the workers which had
   * started before the crash are the same processes.
   */
  private static void atRest(List<Workers.Running> survivors) throws Exception {
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
  }
}
