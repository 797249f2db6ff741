package dev.regroup.e2e;

import static dev.regroup.e2e.Kube.revision;
import static dev.regroup.e2e.Workers.JOBS;
import static dev.regroup.e2e.Workers.JOB_SETS;
import static dev.regroup.e2e.Workers.LIMIT;
import static dev.regroup.e2e.Workers.PODS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Restarts of whole groups with real workers, seen through the API and by the workers. */
class GroupRestartIT {

  private static final int MANY = 1_000_000;
  private static final Duration MINUTE = Duration.ofSeconds(60);

  @TempDir static Path folder;

  private static Cluster cluster;
  private static Kube kube;

  @BeforeAll
  static void start() throws Exception {
    Root.require();
    cluster = Cluster.up(folder);
    kube = cluster.kube();
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  /** AS-41. */
  @Test
  void no_worker_runs_before_all_have_arrived() throws Exception {
    var group = new Workers(folder, "first", 8);

    var created = kube.create(JOB_SETS, group.manifest(MANY));
    group.awaitRunning(kube, 0);

    var signals = Signal.in(history(group, created));
    assertThat(signals.stream().map(Signal::text)).containsExactly("-/0");
    long lift = signals.getLast().revision();
    for (JsonNode pod : podHistory(group, created)) {
      if (Workers.worker(pod).path("state").has("running")) {
        assertThat(revision(pod)).as("a worker runs before the lift").isGreaterThan(lift);
      } else if (Workers.attempt(pod).isEmpty()) {
        assertThat(revision(pod)).as("lifted before all arrived").isLessThan(lift);
      }
    }
    assertThat(group.wrongs()).isEmpty();
    finish(group, 0);
  }

  /** AS-42, AS-82. */
  @Test
  void one_worker_dies_and_all_go_on_where_they_stand() throws Exception {
    var group = new Workers(folder, "one", 8);
    kube.create(JOB_SETS, group.manifest(MANY));
    var before = group.awaitRunning(kube, 0);
    var from = group.jobSet(kube);

    group.exit(0, 3, 1);
    var after = group.awaitRunning(kube, 1);

    assertThat(Workers.identities(after)).isEqualTo(Workers.identities(before));
    assertThat(after.values()).allSatisfy(pod -> assertThat(Workers.restarts(pod)).isEqualTo(1));
    var history = history(group, from);
    var signals = Signal.in(history);
    assertThat(signals.stream().map(Signal::text)).containsExactly("0/0", "0/1");
    restartingFromOrderToLift(history, signals);
    assertThat(group.jobSet(kube).path("status").path("restarts").asInt()).isZero();
    eventsTellTheStory(group, podOfRank(before, 3));
    assertThat(group.wrongs()).isEmpty();
    finish(group, 1);
  }

  /** AS-43. */
  @Test
  void two_that_die_at_once_cause_one_restart() throws Exception {
    var group = new Workers(folder, "two", 8);
    kube.create(JOB_SETS, group.manifest(MANY));
    var before = group.awaitRunning(kube, 0);
    var from = group.jobSet(kube);

    group.exit(0, 2, 1);
    group.exit(0, 5, 1);
    var after = group.awaitRunning(kube, 1);

    assertThat(Workers.identities(after)).isEqualTo(Workers.identities(before));
    assertThat(after.values()).allSatisfy(pod -> assertThat(Workers.restarts(pod)).isEqualTo(1));
    finish(group, 1); // every worker is of attempt 1, none of 2
    assertThat(Signal.in(history(group, from)).stream().map(Signal::text))
        .containsExactly("0/0", "0/1");
    assertThat(group.jobSet(kube).path("status").path("inPlaceRestartsCountTowardsMax").asInt())
        .isEqualTo(1);
  }

  /** AS-83. */
  @Test
  void five_restarts_within_a_minute_wait_for_no_back_off() throws Exception {
    var group = new Workers(folder, "five", 8);
    var created = kube.create(JOB_SETS, group.manifest(MANY));
    var before = group.awaitRunning(kube, 0);

    long begun = System.nanoTime();
    for (int attempt = 0; attempt < 5; attempt++) {
      group.exit(attempt, 6, 1); // always the same pod: its back-off would be due (RAC-51)
      group.awaitRunning(kube, attempt + 1);
    }
    var taken = Duration.ofNanos(System.nanoTime() - begun);

    assertThat(taken).isLessThan(MINUTE);
    System.out.println("five group restarts of 8 workers: " + taken.toMillis() + " ms");
    for (JsonNode pod : podHistory(group, created)) {
      assertThat(pod.path("status").toString()).doesNotContain("BackOff");
    }
    var after = group.awaitRunning(kube, 5);
    assertThat(Workers.identities(after)).isEqualTo(Workers.identities(before));
    assertThat(after.values()).allSatisfy(pod -> assertThat(Workers.restarts(pod)).isEqualTo(5));
    assertThat(group.wrongs()).isEmpty();
    finish(group, 5);
    costsAreKept(group);
  }

  /** The JobSet knows what its restarts cost when nobody else does any more. */
  private static void costsAreKept(Workers group) throws Exception {
    var restarts = group.jobSet(kube).path("status").path("inPlaceRestarts");
    assertThat(restarts).hasSize(5);
    for (JsonNode restart : restarts) {
      var cost = restart.path("cost");
      assertThat(cost.path("measure").asText()).as("%s", restart).isNotEmpty();
      var lifted = Instant.parse(restart.path("liftedAt").asText());
      assertThat(Instant.parse(cost.path("began").asText())).isBefore(lifted);
      assertThat(Instant.parse(cost.path("works").asText())).isAfterOrEqualTo(lifted);
    }
  }

  /** AS-44. */
  @Test
  void a_failure_beyond_max_restarts_fails_the_jobset() throws Exception {
    var group = new Workers(folder, "limit", 2);
    kube.create(JOB_SETS, group.manifest(1));
    group.awaitRunning(kube, 0);

    group.exit(0, 0, 1);
    group.awaitRunning(kube, 1);
    group.exit(1, 1, 1);
    var failed = group.awaitCondition(kube, "Failed");

    assertThat(Kube.condition(failed, "Failed").path("reason").asText())
        .isEqualTo("ReachedMaxRestarts");
    kube.awaitGone(JOBS, group.jobsQuery(), LIMIT);
    kube.awaitGone(PODS, group.podsQuery(), LIMIT);
    assertThat(group.wrongs()).isEmpty();
  }

  /** AS-64. */
  @Test
  void a_failure_after_a_success_recreates_the_jobs() throws Exception {
    var group = new Workers(folder, "done", 2);
    kube.create(JOB_SETS, group.manifest(MANY));
    var before = group.awaitRunning(kube, 0);

    group.exit(0, 0, 0);
    kube.awaitOne(PODS, podOfRank(before, 0), pod -> phase(pod).equals("Succeeded"), LIMIT);
    group.exit(0, 1, 1);
    group.awaitAttempt(1);

    var after = group.awaitRunning(kube, 1);
    assertThat(after.keySet()).doesNotContainAnyElementsOf(before.keySet());
    assertThat(group.jobSet(kube).path("status").path("restarts").asInt()).isEqualTo(1);
    assertThat(group.wrongs()).isEmpty();
    finish(group, 1);
  }

  @Test
  void without_the_barrier_the_workers_notice_two_attempts_at_once() throws Exception {
    var group = new Workers(folder, "forged", 2);
    // A worker that goes on after SIGTERM, until it is killed two seconds later.
    kube.create(JOB_SETS, group.manifest(MANY, "trap 'while :; do read x <&8; done' TERM"));
    group.awaitRunning(kube, 0);

    int attempt = 0;
    for (int round = 0; round < 10 && group.wrongs().isEmpty(); round++) {
      attempt = forgeLift(group, attempt); // a busy machine may need more than two seconds
    }

    assertThat(group.wrongs()).first().asString().contains("at once");
    kube.delete(JOB_SETS + "/" + group.name(), "");
  }

  /**
   * Lets worker 0 fail and lifts the barrier as soon as its pod is there, without waiting for the
   * other. Returns the attempt at which both are together again.
   */
  private static int forgeLift(Workers group, int attempt) throws Exception {
    int next = attempt + 1;
    group.exit(attempt, 0, 1);
    kube.await(
        PODS,
        group.podsQuery(),
        pods -> pods.values().stream().anyMatch(pod -> Workers.attempt(pod).equals("" + next)),
        LIMIT);
    kube.patch(
        JOB_SETS + "/" + group.name() + "/status",
        "{\"status\":{\"currentInPlaceRestartAttempt\":%d,\"syncedEpoch\":%d}}"
            .formatted(next, next + 1));
    var together =
        kube.await(
            PODS,
            group.podsQuery(),
            pods ->
                pods.size() == 2
                    && pods.values().stream().allMatch(Workers::running)
                    && pods.values().stream().map(Workers::attempt).distinct().count() == 1
                    && pods.values().stream()
                        .noneMatch(p -> Workers.attempt(p).equals("" + attempt)),
            LIMIT);
    int reached = Integer.parseInt(Workers.attempt(together.values().iterator().next()));
    group.awaitAttempt(reached);
    return reached;
  }

  /** Lets every worker end well and waits for the JobSet to say so. */
  private static void finish(Workers group, int attempt) throws Exception {
    group.exitAll(attempt, 0);
    group.awaitCondition(kube, "Completed");
    assertThat(group.wrongs()).isEmpty();
  }

  private static List<JsonNode> history(Workers group, JsonNode from) throws Exception {
    return Signal.history(kube, group.name(), from);
  }

  /** Every revision of the group's pods after this revision, up to the present ones. */
  private static List<JsonNode> podHistory(Workers group, JsonNode from) throws Exception {
    long last = 0;
    for (JsonNode pod : kube.list(PODS, group.podsQuery())) {
      last = Math.max(last, revision(pod));
    }
    return kube.history(PODS, group.podsQuery(), revision(from), last);
  }

  /** AS-82: the condition comes with the order and leaves with or after the lift. */
  private static void restartingFromOrderToLift(List<JsonNode> history, List<Signal> signals) {
    long order = signals.getFirst().revision();
    long lift = signals.getLast().revision();
    for (JsonNode object : history) {
      if (revision(object) >= order && revision(object) < lift) {
        var condition = Kube.condition(object, "RestartingJobSet");
        assertThat(condition.path("status").asText()).as("while restarting").isEqualTo("True");
        assertThat(condition.path("reason").asText()).isEqualTo("InPlaceRestart");
      }
    }
  }

  private static void eventsTellTheStory(Workers group, String pod) throws Exception {
    var events =
        kube.await(
            "/api/v1/namespaces/default/events",
            "",
            all -> all.values().stream().anyMatch(e -> about(e, group, "InPlaceRestartCompleted")),
            LIMIT);
    var started =
        events.values().stream()
            .filter(event -> about(event, group, "InPlaceRestartStarted"))
            .toList();
    assertThat(started).singleElement();
    assertThat(started.getFirst().path("message").asText()).contains(pod, "worker", "1");
  }

  private static boolean about(JsonNode event, Workers group, String reason) {
    return event.path("involvedObject").path("name").asText().equals(group.name())
        && event.path("reason").asText().equals(reason);
  }

  private static String podOfRank(Map<String, JsonNode> pods, int rank) {
    return pods.keySet().stream()
        .filter(name -> name.matches(".*-w-0-" + rank + "-[a-z0-9]+"))
        .findFirst()
        .orElseThrow();
  }

  private static String phase(JsonNode pod) {
    return pod.path("status").path("phase").asText();
  }
}
