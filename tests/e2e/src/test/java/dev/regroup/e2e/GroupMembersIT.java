package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.JOB_SETS;
import static dev.regroup.e2e.Workers.LIMIT;
import static dev.regroup.e2e.Workers.PODS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Groups of real workers whose pods go away, come late, lie, or are left alone by their node: the
 * others wait for who belongs to the group and for nobody else.
 */
class GroupMembersIT {

  private static final String ATTEMPT = "jobset.sigs.k8s.io/in-place-restart-attempt";

  @TempDir static Path folder;

  private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Root.require();
    cluster = Cluster.up(folder);
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void a_pod_deleted_while_it_runs_comes_back_and_all_restart_as47() throws Exception {
    var group = new Workers(folder, "deleted", 3);
    kube().create(JOB_SETS, group.manifest(3));
    var before = group.awaitRunning(kube(), 0);

    kube().delete(pod(before, 1), "");
    var after = group.awaitLive(kube(), 1);

    assertOnlyReplaced(1, before, after);
    finish(group, 1, 1);
  }

  /** The barrier is not lifted for a place whose pod is on its way out. */
  @Test
  void a_pod_deleted_at_the_barrier_is_waited_for_in_the_same_attempt_as48() throws Exception {
    var group = new Workers(folder, "barrier", 3);
    kube().create(JOB_SETS, group.manifestWithGate(3));
    var before = group.awaitRunning(kube(), 0);
    var from = group.jobSet(kube());

    group.hold(1);
    group.exit(0, 0, 1);
    group.awaitHeld(1);
    awaitReport(before, 0, "1");
    awaitReport(before, 2, "1");
    kube().delete(pod(before, 0), "");
    var replacement =
        kube()
            .await(
                PODS,
                group.podsQuery(),
                pods -> pods.size() == 3 && replaced(before, pods, 0),
                LIMIT);
    group.release(1);
    var after = group.awaitLive(kube(), 1);

    assertOnlyReplaced(0, before, after);
    assertThat(replacement).hasSize(3);
    var signals = Signal.in(Signal.history(kube(), group.name(), from));
    assertThat(signals.stream().map(Signal::text)).containsExactly("0/0", "0/1");
    assertThat(firstReport(group, from, nameOf(after, 0)))
        .as("the replacement is there before the lift")
        .isLessThan(signals.getLast().revision());
    finish(group, 1, 1);
  }

  /** A code that no restart rule takes and no policy of the Job knows (JB-84). */
  @Test
  void a_pod_that_fails_for_good_is_replaced_and_not_waited_for_as49_as77() throws Exception {
    var group = new Workers(folder, "for-good", 3);
    var jobSet = Workers.inParts(group.manifestWithFatalCode(3), part("w", 3));
    var pods = (ObjectNode) jobSet.at("/spec/replicatedJobs/0/template/spec/template/spec");
    pods.put("restartPolicy", "Never");
    var worker = (ObjectNode) pods.at("/containers/0");
    worker.put("restartPolicy", "Never");
    var rules = worker.putArray("restartPolicyRules");
    rule(rules.addObject(), "Terminate", "In", Workers.FATAL, 4);
    rule(rules.addObject(), "RestartAllContainers", "NotIn", 0);
    kube().create(JOB_SETS, jobSet);
    var before = group.awaitRunning(kube(), 0);

    group.exit(0, 2, 4);
    var after = group.awaitLive(kube(), 1);

    var failed = kube().get(pod(before, 2));
    assertThat(failed.at("/status/phase").asText()).isEqualTo("Failed");
    var ended = failed.at("/status/containerStatuses/0/state/terminated/finishedAt").asText();
    var replaced = after.get(nameOf(after, 2)).at("/metadata/creationTimestamp").asText();
    assertThat(Duration.between(Instant.parse(ended), Instant.parse(replaced)))
        .as("no back-off of the Job, which begins with ten seconds")
        .isLessThan(Duration.ofSeconds(9));
    assertOnlyReplaced(2, before, after);
    assertThat(group.jobSet(kube()).at("/status/restarts").asInt()).isZero();
    finish(group, 1, 1);
  }

  @Test
  void a_report_that_is_no_number_lifts_nothing_until_it_is_made_good_as50() throws Exception {
    var group = new Workers(folder, "corrupt", 2);
    var other = new Workers(folder, "beside", 2);
    kube().create(JOB_SETS, group.manifestWithGate(3));
    kube().create(JOB_SETS, other.manifest(3));
    var before = group.awaitRunning(kube(), 0);
    other.awaitRunning(kube(), 0);

    group.hold(1);
    group.exit(0, 0, 1);
    group.awaitHeld(1);
    awaitReport(before, 0, "1");
    kube().patch(pod(before, 1), "{\"metadata\":{\"annotations\":{\"" + ATTEMPT + "\":\"abc\"}}}");
    other.exit(0, 1, 1);
    other.awaitRunning(kube(), 1);
    kube().awaitEvent(group.name(), "InvalidInPlaceRestartAttempt", nameOf(before, 1), LIMIT);
    assertThat(group.jobSet(kube()).at("/status/currentInPlaceRestartAttempt").asInt()).isZero();

    group.release(1);
    var after = group.awaitRunning(kube(), 1);

    assertThat(Workers.identities(after)).isEqualTo(Workers.identities(before));
    finish(group, 1, 1);
    finish(other, 1, 1);
  }

  @Test
  void a_stranger_with_the_labels_of_the_group_does_not_count_as51() throws Exception {
    var group = new Workers(folder, "forged", 2);
    kube().create(JOB_SETS, group.manifest(3));
    var before = group.awaitRunning(kube(), 0);
    kube()
        .create(
            PODS,
            """
            metadata:
              name: stranger
              labels: {jobset.sigs.k8s.io/jobset-name: forged}
              annotations: {%s: "99"}
            spec:
              schedulerName: nobody
              containers: [{name: c, image: host, command: ["true"]}]
            """
                .formatted(ATTEMPT));

    group.exit(0, 0, 1);
    group.awaitAttempt(1);
    kube()
        .awaitOne(
            JOB_SETS,
            group.name(),
            jobSet -> jobSet.at("/status/currentInPlaceRestartAttempt").asInt() == 1,
            LIMIT);
    kube().delete(PODS + "/stranger", "");

    var after = group.awaitRunning(kube(), 1);
    assertThat(Workers.identities(after)).isEqualTo(Workers.identities(before));
    finish(group, 1, 1);
  }

  /** The others are told while the pod that failed is still on its way back. */
  @Test
  void the_order_comes_before_the_failed_pod_is_back_as63() throws Exception {
    var group = new Workers(folder, "early", 3);
    kube().create(JOB_SETS, group.manifestWithGate(3));
    var before = group.awaitRunning(kube(), 0);
    var from = group.jobSet(kube());

    group.hold(0);
    group.exit(0, 0, 1);
    group.awaitHeld(0);
    awaitReport(before, 1, "1");
    awaitReport(before, 2, "1");
    group.release(0);
    group.awaitRunning(kube(), 1);

    var order = Signal.in(Signal.history(kube(), group.name(), from)).getFirst();
    assertThat(order.text()).isEqualTo("0/0");
    assertThat(firstReport(group, from, nameOf(before, 0))).isGreaterThan(order.revision());
    finish(group, 1, 1);
  }

  @Test
  void waiting_for_a_pod_without_a_place_costs_nothing_as72() throws Exception {
    var group = new Workers(folder, "nowhere", 3);
    var jobSet =
        Workers.inParts(
            group.manifest(0),
            List.of(new Workers.Part("w", "node", 2), new Workers.Part("v", "node", 1)));
    ((ObjectNode) jobSet.at("/spec/replicatedJobs/1/template/spec/template/spec"))
        .putObject("nodeSelector")
        .put("accelerator", "none-yet");
    kube().create(JOB_SETS, jobSet);
    kube()
        .awaitOne(
            JOB_SETS,
            group.name(),
            set -> {
              var waiting = Kube.condition(set, "BarrierWaiting");
              return waiting.path("status").asText().equals("True")
                  && waiting.path("message").asText().contains("2 of 3 at attempt 0");
            },
            LIMIT);

    for (JsonNode node : kube().list("/api/v1/nodes", "")) {
      kube()
          .patch(
              "/api/v1/nodes/" + node.at("/metadata/name").asText(),
              "{\"metadata\":{\"labels\":{\"accelerator\":\"none-yet\"}}}");
    }

    group.awaitRunning(kube(), 0);
    finish(group, 0, 0);
  }

  @Test
  void a_program_that_comes_back_finds_its_workers_running_as86() throws Exception {
    var group = new Workers(folder, "adopted", 8);
    kube().create(JOB_SETS, group.manifest(0));
    var before = group.awaitRunning(kube(), 0);
    var processes = group.processes();
    assertThat(processes).hasSize(8);

    cluster.kill();
    cluster.start();

    var after = group.awaitRunning(kube(), 0);
    assertThat(Workers.identities(after)).isEqualTo(Workers.identities(before));
    assertThat(after.values()).allSatisfy(pod -> assertThat(Workers.restarts(pod)).isZero());
    assertThat(group.processes()).isEqualTo(processes);
    finish(group, 0, 0);
  }

  @Test
  void a_program_that_comes_back_at_the_barrier_keeps_the_attempt_as87() throws Exception {
    var group = new Workers(folder, "same", 3);
    kube().create(JOB_SETS, group.manifestWithGate(1));
    var before = group.awaitRunning(kube(), 0);

    group.hold(1);
    group.exit(0, 0, 1);
    group.awaitHeld(1);
    awaitReport(before, 0, "1");
    awaitReport(before, 2, "1");
    cluster.kill();
    cluster.start();
    group.release(1);

    var after = group.awaitRunning(kube(), 1);
    assertThat(Workers.identities(after)).isEqualTo(Workers.identities(before));
    assertThat(after.values()).allSatisfy(pod -> assertThat(Workers.restarts(pod)).isEqualTo(1));
    finish(group, 1, 1);
  }

  private static Kube kube() {
    return cluster.kube();
  }

  private static List<Workers.Part> part(String name, int size) {
    return List.of(new Workers.Part(name, "node", size));
  }

  private static void rule(ObjectNode rule, String action, String operator, int... codes) {
    var values =
        rule.put("action", action)
            .putObject("exitCodes")
            .put("operator", operator)
            .putArray("values");
    for (int code : codes) {
      values.add(code);
    }
  }

  /** Waits until this pod has written this attempt. */
  private static void awaitReport(Map<String, JsonNode> pods, int index, String attempt)
      throws Exception {
    kube().awaitOne(PODS, nameOf(pods, index), pod -> Workers.attempt(pod).equals(attempt), LIMIT);
  }

  /** The revision in which this pod first told of attempt 1. */
  private static long firstReport(Workers group, JsonNode from, String pod) throws Exception {
    long now = 0;
    for (JsonNode one : kube().list(PODS, group.podsQuery())) {
      now = Math.max(now, Kube.revision(one));
    }
    return kube().history(PODS, group.podsQuery(), Kube.revision(from), now).stream()
        .filter(one -> one.at("/metadata/name").asText().equals(pod))
        .filter(one -> Workers.attempt(one).equals("1"))
        .mapToLong(Kube::revision)
        .min()
        .orElseThrow();
  }

  private static String pod(Map<String, JsonNode> pods, int index) {
    return PODS + "/" + nameOf(pods, index);
  }

  private static String nameOf(Map<String, JsonNode> pods, int index) {
    return pods.keySet().stream()
        .filter(name -> name.matches(".*-" + index + "-[a-z0-9]+"))
        .findFirst()
        .orElseThrow();
  }

  private static boolean replaced(
      Map<String, JsonNode> before, Map<String, JsonNode> now, int index) {
    return !now.containsKey(nameOf(before, index));
  }

  /** One pod is new; the others have kept identity and address. */
  private static void assertOnlyReplaced(
      int index, Map<String, JsonNode> before, Map<String, JsonNode> after) {
    var kept = Workers.identities(before);
    kept.remove(nameOf(before, index));
    var now = Workers.identities(after);
    assertThat(now.remove(nameOf(after, index))).isNotNull();
    assertThat(now).isEqualTo(kept);
    assertThat(after.keySet()).doesNotContain(nameOf(before, index));
  }

  /** Lets every worker end well; the budget holds what the story has cost. */
  private static void finish(Workers group, int attempt, int spent) throws Exception {
    group.exitAll(attempt, 0);
    var done = group.awaitCondition(kube(), "Completed");
    assertThat(done.at("/status/inPlaceRestartsCountTowardsMax").asInt()).isEqualTo(spent);
    assertThat(group.wrongs()).isEmpty();
  }
}
