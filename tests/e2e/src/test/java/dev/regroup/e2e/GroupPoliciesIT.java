package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.JOB_SETS;
import static dev.regroup.e2e.Workers.LIMIT;
import static dev.regroup.e2e.Workers.PODS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the policies, the order and the size of a JobSet mean for its group, with real workers:
 * which pods are new, which stand where they stood, what it costs.
 */
class GroupPoliciesIT {

  @TempDir static Path folder;

  private static Cluster cluster;
  private static Kube kube;

  @BeforeAll
  static void start() throws Exception {
    Root.require();
    cluster = Cluster.up(folder, "--feature-gates=RestartJob=true,ElasticJobSet=true");
    kube = cluster.kube();
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void a_failed_job_has_all_made_anew_for_one_restart_as57() throws Exception {
    var group = new Workers(folder, "anew", 2);
    kube.create(JOB_SETS, group.manifestWithFatalCode(1, "RestartJobSet"));
    var before = group.awaitRunning(kube, 0);

    group.exit(0, 1, Workers.FATAL);
    var after = group.awaitRunning(kube, 1);

    assertThat(after.keySet()).doesNotContainAnyElementsOf(before.keySet());
    var status = status(group);
    assertThat(status.path("restarts").asInt()).isEqualTo(1);
    assertThat(status.path("restartsCountTowardsMax").asInt()).isEqualTo(1);
    assertThat(status.path("inPlaceRestartsCountTowardsMax").asInt()).isZero();
    finish(group, 1);
  }

  @Test
  void restarts_that_ignore_the_budget_leave_it_to_those_in_place_as58() throws Exception {
    var group = new Workers(folder, "ignored", 2);
    kube.create(JOB_SETS, group.manifestWithFatalCode(1, "RestartJobSetAndIgnoreMaxRestarts"));
    group.awaitRunning(kube, 0);

    group.exit(0, 0, Workers.FATAL);
    group.awaitRunning(kube, 1);
    group.exit(1, 1, Workers.FATAL);
    var before = group.awaitRunning(kube, 2);
    group.exit(2, 0, 1);
    var after = group.awaitRunning(kube, 3);
    assertThat(Workers.identities(after)).isEqualTo(Workers.identities(before));
    group.exit(3, 0, 1);
    var failed = group.awaitCondition(kube, "Failed");

    assertThat(Kube.condition(failed, "Failed").path("reason").asText())
        .isEqualTo("ReachedMaxRestarts");
    assertThat(failed.at("/status/restarts").asInt()).isEqualTo(2);
    assertThat(group.wrongs()).isEmpty();
  }

  @Test
  void one_job_is_made_anew_and_the_others_restart_in_place_as59() throws Exception {
    var group = new Workers(folder, "one-job", 4);
    kube.create(
        JOB_SETS, inParts(group.manifestWithFatalCode(3, "RestartJob"), part("a"), part("b")));
    var before = group.awaitRunning(kube, 0);

    group.exit(0, 0, Workers.FATAL);
    var after = group.awaitRunning(kube, 1);

    assertThat(identities(after, "b")).isEqualTo(identities(before, "b"));
    assertThat(identities(after, "a").keySet())
        .doesNotContainAnyElementsOf(identities(before, "a").keySet());
    assertThat(status(group).path("restarts").asInt()).isZero();
    finish(group, 1);
  }

  @Test
  void a_group_that_was_suspended_goes_on_for_nothing_as60() throws Exception {
    var group = new Workers(folder, "suspended", 2);
    kube.create(JOB_SETS, group.manifest(0));
    var before = group.awaitRunning(kube, 0);

    kube.patch(JOB_SETS + "/suspended", "{\"spec\":{\"suspend\":true}}");
    kube.awaitGone(PODS, group.podsQuery(), LIMIT);
    kube.patch(JOB_SETS + "/suspended", "{\"spec\":{\"suspend\":false}}");
    var after = group.awaitRunning(kube, 1);

    assertThat(after.keySet()).doesNotContainAnyElementsOf(before.keySet());
    assertThat(status(group).path("inPlaceRestartsCountTowardsMax").asInt()).isZero();
    finish(group, 1);
  }

  /** The same group, seen as three workers and as two: ranks are those of the larger size. */
  @Test
  void a_new_size_restarts_the_group_for_nothing_as61() throws Exception {
    var group = new Workers(folder, "elastic", 2);
    var larger = new Workers(folder, "elastic", 3);
    kube.create(JOB_SETS, group.manifest(0));
    var before = group.awaitRunning(kube, 0);

    resize(group, 3);
    var three = larger.awaitRunning(kube, 1);
    assertThat(Workers.identities(three)).containsAllEntriesOf(Workers.identities(before));
    resize(group, 2);
    var two = group.awaitLive(kube, 2);

    assertThat(Workers.identities(two)).isEqualTo(Workers.identities(before));
    assertThat(larger.wasUp(2, 2)).as("the third worker is gone").isFalse();
    assertThat(status(group).path("inPlaceRestartsCountTowardsMax").asInt()).isZero();
    finish(group, 2);
  }

  private static void resize(Workers group, int size) throws Exception {
    var jobSet = (ObjectNode) group.jobSet(kube);
    var job = (ObjectNode) jobSet.at("/spec/replicatedJobs/0/template/spec");
    job.put("parallelism", size).put("completions", size);
    var jobs = Kube.JSON.createObjectNode();
    jobs.putObject("spec").set("replicatedJobs", jobSet.at("/spec/replicatedJobs"));
    var answer = kube.patch(JOB_SETS + "/" + group.name(), jobs.toString());
    assertThat(answer.path("kind").asText()).as("%s", answer).isEqualTo("JobSet");
  }

  @Test
  void a_job_that_waits_for_another_to_be_ready_shares_its_barrier_as78() throws Exception {
    var group = new Workers(folder, "ready", 4);
    var jobSet = inParts(group.manifest(3), part("a"), part("b"));
    dependsOn(jobSet, "Ready");
    var created = kube.create(JOB_SETS, jobSet);
    var before = group.awaitRunning(kube, 0);
    assertThat(Signal.in(Signal.history(kube, "ready", created)).stream().map(Signal::text))
        .as("one barrier for both")
        .containsExactly("-/0");

    group.exit(0, 3, 1);
    var after = group.awaitRunning(kube, 1);

    assertThat(Workers.identities(after)).isEqualTo(Workers.identities(before));
    assertThat(after.values()).allSatisfy(pod -> assertThat(Workers.restarts(pod)).isEqualTo(1));
    finish(group, 1);
  }

  @Test
  void a_job_that_waits_for_another_to_complete_has_a_barrier_of_its_own_as79() throws Exception {
    var group = new Workers(folder, "complete", 4);
    var jobSet = inParts(group.manifest(1), part("a"), part("b"));
    dependsOn(jobSet, "Complete");
    kube.create(JOB_SETS, jobSet);
    awaitUp(group, 0, 0, 1);
    assertThat(kube.list(PODS, group.podsQuery())).as("a alone").hasSize(2);

    group.exit(0, 0, 0);
    group.exit(0, 1, 0);
    awaitUp(group, 1, 2, 3);
    assertThat(status(group).path("inPlaceRestartsCountTowardsMax").asInt()).isZero();
    var before = identities(podsByName(group), "a");
    group.exit(1, 2, 1);
    awaitUp(group, 2, 2, 3);

    assertThat(identities(podsByName(group), "a")).as("a failure in b").isEqualTo(before);
    assertThat(group.wasUp(1, 0) || group.wasUp(2, 0)).as("a runs again").isFalse();
    assertThat(status(group).path("inPlaceRestartsCountTowardsMax").asInt()).isEqualTo(1);
    group.exit(2, 2, 0);
    group.exit(2, 3, 0);
    group.awaitCondition(kube, "Completed");
    assertThat(group.wrongs()).isEmpty();
  }

  @Test
  void a_job_without_an_agent_is_not_waited_for_as80() throws Exception {
    var group = new Workers(folder, "without", 3);
    var jobSet = inParts(group.manifest(3), part("a"), new Workers.Part("driver", "none", 1));
    ((ObjectNode) jobSet.at("/spec/replicatedJobs/1/template/spec/template/spec"))
        .put("schedulerName", "nobody"); // it never comes
    kube.create(JOB_SETS, jobSet);
    awaitUp(group, 0, 0, 1);

    group.exit(0, 0, 1);
    awaitUp(group, 1, 0, 1);

    var status = status(group);
    assertThat(status.path("currentInPlaceRestartAttempt").asInt()).isEqualTo(1);
    assertThat(status.path("inPlaceRestartsCountTowardsMax").asInt()).isEqualTo(1);
    kube.delete(JOB_SETS + "/without", "");
    kube.awaitGone(PODS, group.podsQuery(), LIMIT);
    assertThat(group.wrongs()).isEmpty();
  }

  /** Their agents are stopped then and end with 143. */
  @Test
  void workers_that_finish_one_after_another_restart_nobody_as84() throws Exception {
    var group = new Workers(folder, "finish", 4, new Workers.Place("host", "sidecar", LIMIT));
    kube.create(JOB_SETS, group.manifest(3));
    var pods = group.awaitRunning(kube, 0);

    for (int rank = 0; rank < 4; rank++) {
      group.exit(0, rank, 0);
      String suffix = "-w-0-" + rank + "-";
      String name =
          pods.keySet().stream().filter(pod -> pod.contains(suffix)).findFirst().orElseThrow();
      var done =
          kube.awaitOne(
              PODS, name, pod -> pod.at("/status/phase").asText().equals("Succeeded"), LIMIT);
      assertThat(done.at("/status/initContainerStatuses/0/state/terminated/exitCode").asInt())
          .isEqualTo(143);
    }

    var done = group.awaitCondition(kube, "Completed");
    assertThat(done.at("/status/restarts").asInt()).isZero();
    assertThat(done.path("status").has("previousInPlaceRestartAttempt")).isFalse();
  }

  @Test
  void a_restart_is_asked_for_once_and_counted_unless_it_says_otherwise_as88() throws Exception {
    var group = new Workers(folder, "asked", 2);
    kube.create(JOB_SETS, group.manifest(1));
    var before = group.awaitRunning(kube, 0);

    ask("r1", "");
    group.awaitRunning(kube, 1);
    assertThat(status(group).path("inPlaceRestartsCountTowardsMax").asInt()).isEqualTo(1);
    assertThat(status(group).at("/lastRestartRequest/requestID").asText()).isEqualTo("r1");
    ask("r1", "");
    ask("r2", ",\"regroup.dev/restart-uncounted\":\"true\"");
    var after = group.awaitRunning(kube, 2); // r1 again would have made it 3
    assertThat(status(group).path("inPlaceRestartsCountTowardsMax").asInt()).isEqualTo(1);

    ask("r3", ",\"regroup.dev/restart-uncounted\":null");
    kube.awaitEvent("asked", "RestartRequestIgnored", "r3", LIMIT);

    assertThat(Workers.identities(after)).isEqualTo(Workers.identities(before));
    finish(group, 2);
  }

  private static void ask(String request, String more) throws Exception {
    kube.patch(
        JOB_SETS + "/asked",
        "{\"metadata\":{\"annotations\":{\"regroup.dev/restart-request\":\"%s\"%s}}}"
            .formatted(request, more));
  }

  private static JsonNode inParts(String manifest, Workers.Part... parts) throws Exception {
    return Workers.inParts(manifest, List.of(parts));
  }

  private static Workers.Part part(String name) {
    return new Workers.Part(name, "node", 2);
  }

  private static void dependsOn(JsonNode jobSet, String status) {
    ((ObjectNode) jobSet.at("/spec/replicatedJobs/1"))
        .putArray("dependsOn")
        .addObject()
        .put("name", "a")
        .put("status", status);
  }

  private static JsonNode status(Workers group) throws Exception {
    return group.jobSet(kube).path("status");
  }

  private static void awaitUp(Workers group, int attempt, int... ranks) throws Exception {
    for (int rank : ranks) {
      group.awaitUp(attempt, rank);
    }
  }

  private static Map<String, JsonNode> podsByName(Workers group) throws Exception {
    var pods = new TreeMap<String, JsonNode>();
    for (JsonNode pod : kube.list(PODS, group.podsQuery())) {
      pods.put(pod.at("/metadata/name").asText(), pod);
    }
    return pods;
  }

  /** Of the pods of one replicated Job. */
  private static Map<String, String> identities(Map<String, JsonNode> pods, String job) {
    var found = Workers.identities(pods);
    found.keySet().removeIf(name -> !name.contains("-" + job + "-0-"));
    return found;
  }

  private static void finish(Workers group, int attempt) throws Exception {
    group.exitAll(attempt, 0);
    group.awaitCondition(kube, "Completed");
    assertThat(group.wrongs()).isEmpty();
  }
}
