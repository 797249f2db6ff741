package dev.regroup.control.jobset;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.client.ApiClient;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.Request;
import dev.regroup.client.Transport;
import dev.regroup.control.ControlPlane;
import dev.regroup.control.Kinds;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Group restarts with the real controllers and the real server in one process; the test plays the
 * node and its agent by writing what they would write.
 */
class GroupRestartIT {

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final ObjectKey TRAIN = new ObjectKey("default", "train");

  @TempDir Path directory;

  private ControlPlane plane;
  private Transport transport;
  private ApiClient admin;

  @BeforeEach
  void start() throws Exception {
    plane = new ControlPlane(directory);
    transport = plane.admin();
    admin = new ApiClient(transport);
  }

  @AfterEach
  void stop() throws Exception {
    plane.close();
  }

  @Test
  void a_jobset_that_says_only_in_place_restart_works_as76() throws Exception {
    create(2, "");
    var pods = awaitPods(4);

    assertThat(pods)
        .allSatisfy(pod -> {
          assertThat(
                  pod.path("metadata")
                      .path("annotations")
                      .path(key("inject-in-place-restart-agent"))
                      .asText())
              .isEqualTo("node");
          assertThat(pod.path("spec").path("subdomain").asText()).isEqualTo("train");
          assertThat(pod.path("spec").path("hostname").asText()).startsWith("train-w-");
        });
    report(pods, 0);
    var lifted = await(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 0);
    assertThat(lifted.path("syncedEpoch").asInt()).isEqualTo(1);
    assertThat(lifted.has("previousInPlaceRestartAttempt")).isFalse();
  }

  @Test
  void one_group_restart_changes_the_signals_in_two_revisions_as42_as82() throws Exception {
    create(2, "\"maxRestarts\":3,");
    var pods = awaitPods(4);
    report(pods, 0);
    await(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 0);
    var before = admin.get(Kinds.JOB_SETS, TRAIN).orElseThrow();

    restarting(pods.get(1), 17);
    var ordered = await(status -> status.path("previousInPlaceRestartAttempt").asInt(-1) == 0);
    assertThat(ordered.path("currentInPlaceRestartAttempt").asInt()).isZero();
    report(pods, 1);
    var done = await(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 1);

    assertThat(done.path("inPlaceRestarts").get(0).path("exitCode").asInt()).isEqualTo(17);
    assertThat(done.path("inPlaceRestartsCountTowardsMax").asInt()).isEqualTo(1);
    assertThat(done.path("restarts").asInt()).isZero();
    assertThat(signals(before)).containsExactly("0/0", "1/0");
    assertThat(names(awaitPods(4))).isEqualTo(names(pods));
  }

  @Test
  void five_restarts_in_a_row_never_wait_and_the_sixth_fails_as44_as83() throws Exception {
    create(1, "\"maxRestarts\":5,");
    var pods = awaitPods(2);
    report(pods, 0);
    await(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 0);
    long began = System.nanoTime();

    for (int attempt = 1; attempt <= 5; attempt++) {
      int now = attempt;
      restarting(pods.get(attempt % 2), 1);
      await(status -> status.path("previousInPlaceRestartAttempt").asInt(-1) == now - 1);
      report(pods, attempt);
      await(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == now);
    }
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));

    restarting(pods.getFirst(), 1);
    await(status -> status.path("terminalState").asText().equals("Failed"));
  }

  @Test
  void a_controller_that_comes_back_in_the_middle_goes_on_as52_js142() throws Exception {
    create(1, "\"maxRestarts\":3,");
    var pods = awaitPods(2);
    report(pods, 0);
    await(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 0);
    restarting(pods.getFirst(), 1);
    await(status -> status.path("previousInPlaceRestartAttempt").asInt(-1) == 0);

    plane.withoutControllers(() -> report(pods, 1));

    var done = await(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 1);
    assertThat(done.path("inPlaceRestartsCountTowardsMax").asInt()).isEqualTo(1);
  }

  @Test
  void a_sidecar_that_restarts_again_and_again_restarts_no_group_as85() throws Exception {
    create(1, "\"maxRestarts\":3,");
    var pods = awaitPods(2);
    report(pods, 0);
    await(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 0);

    for (int restarts = 1; restarts <= 10; restarts++) {
      patch(
          pods.getFirst(),
          """
          {"status":{"initContainerStatuses":[{"name":"logger","image":"none","imageID":"",
           "ready":true,"restartCount":%d,"state":{"running":{}},
           "lastState":{"terminated":{"exitCode":1}}}]}}
          """
              .formatted(restarts));
    }
    restarting(pods.getLast(), 1); // what comes after them is the first restart

    var status = await(one -> one.path("previousInPlaceRestartAttempt").asInt(-1) == 0);
    assertThat(status.path("inPlaceRestartsCountTowardsMax").asInt()).isEqualTo(1);
    assertThat(status.at("/inPlaceRestarts/0/pod").asText()).isEqualTo(name(pods.getLast()));
  }

  /** JS-159. */
  @Test
  void two_groups_restart_at_the_same_time_as74() throws Exception {
    var other = new ObjectKey("default", "other");
    create("other", 1, "\"maxRestarts\":3,");
    create(1, "\"maxRestarts\":3,");
    var pods = awaitPods(4);
    report(pods, 0);
    for (var group : List.of(TRAIN, other)) {
      await(group, status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 0);
    }

    restarting(pods.getFirst(), 1);
    restarting(pods.getLast(), 1);
    for (var group : List.of(TRAIN, other)) { // both are told before either is back
      await(group, status -> status.path("previousInPlaceRestartAttempt").asInt(-1) == 0);
    }
    report(pods, 1);

    for (var group : List.of(TRAIN, other)) {
      await(group, status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 1);
    }
  }

  private void create(int replicas, String policy) throws Exception {
    create("train", replicas, policy);
  }

  private void create(String name, int replicas, String policy) throws Exception {
    var jobSet =
        """
        {"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet","metadata":{"name":"%s"},
         "spec":{"failurePolicy":{%s"restartStrategy":"InPlaceRestart"},
          "replicatedJobs":[{"name":"w","replicas":%d,"template":{"spec":{
           "parallelism":2,"completions":2,"template":{"spec":{"containers":[
            {"name":"worker","image":"none","command":["sleep","inf"]}]}}}}}]}}
        """
            .formatted(name, policy, replicas);
    admin.create(Kinds.JOB_SETS, "default", Wire.tree(jobSet));
  }

  private static String key(String name) {
    return "jobset.sigs.k8s.io/" + name;
  }

  /** What the node writes when a pod has reached the barrier, or runs on in that attempt. */
  private void report(List<ObjectNode> pods, int attempt) throws Exception {
    for (var pod : pods) {
      patch(
          pod,
          """
          {"metadata":{"annotations":{"%s":"%d","%s":"%d"}},
           "status":{"phase":"Running","conditions":[
            {"type":"AllContainersRestarting","status":"False"}],
            "containerStatuses":[{"name":"worker","image":"none","imageID":"","ready":true,
             "restartCount":%d,"state":{"running":{"startedAt":"2026-01-01T00:00:00Z"}}}]}}
          """
              .formatted(
                  key("in-place-restart-attempt"), attempt, key("epoch"), attempt + 1, attempt));
    }
  }

  /** What the node writes when a worker's exit restarts all containers. */
  private void restarting(ObjectNode pod, int code) throws Exception {
    patch(
        pod,
        """
        {"status":{"conditions":[{"type":"AllContainersRestarting","status":"True"}],
         "containerStatuses":[{"name":"worker","image":"none","imageID":"","ready":false,
          "restartCount":0,"state":{"terminated":{"exitCode":%d,
           "startedAt":"2026-01-01T00:00:00Z","finishedAt":"2026-01-01T00:00:01Z"}}}]}}
        """
            .formatted(code));
  }

  private void patch(ObjectNode pod, String json) throws Exception {
    var key = new ObjectKey("default", pod.path("metadata").path("name").asText());
    admin.mergePatchStatus(Kinds.PODS, key, json);
  }

  private List<ObjectNode> awaitPods(int count) throws Exception {
    long deadline = System.nanoTime() + SOON.toNanos();
    var query = ListQuery.in("default");
    var page = admin.list(Kinds.PODS, query);
    try (var stream = watch("/api/v1/namespaces/default/pods", page.resourceVersion())) {
      while (page.items().size() < count) {
        next(stream, deadline);
        page = admin.list(Kinds.PODS, query);
      }
    }
    return page.items().stream().sorted(Comparator.comparing(GroupRestartIT::name)).toList();
  }

  private static List<String> names(List<ObjectNode> pods) {
    return pods.stream().map(GroupRestartIT::name).toList();
  }

  private static String name(JsonNode pod) {
    return pod.path("metadata").path("name").asText();
  }

  private JsonNode await(Predicate<JsonNode> fact) throws Exception {
    return await(TRAIN, fact);
  }

  private JsonNode await(ObjectKey jobSet, Predicate<JsonNode> fact) throws Exception {
    long deadline = System.nanoTime() + SOON.toNanos();
    var now = admin.get(Kinds.JOB_SETS, jobSet).orElseThrow();
    var version = now.path("metadata").path("resourceVersion").asText();
    try (var stream = watch(Kinds.JOB_SETS.path("default"), version)) {
      JsonNode object = now;
      while (!name(object).equals(jobSet.name()) || !fact.test(object.path("status"))) {
        object = next(stream, deadline).path("object");
      }
      return object.path("status");
    }
  }

  /** The pairs current/previous of all revisions since this one, equal neighbours once. */
  private List<String> signals(ObjectNode since) throws Exception {
    var pairs = new ArrayList<String>();
    var newest =
        admin
            .get(Kinds.JOB_SETS, TRAIN)
            .orElseThrow()
            .path("metadata")
            .path("resourceVersion")
            .asText();
    var version = since.path("metadata").path("resourceVersion").asText();
    try (var stream = watch(Kinds.JOB_SETS.path("default"), version)) {
      var last = pair(since.path("status"));
      JsonNode object = since;
      while (!object.path("metadata").path("resourceVersion").asText().equals(newest)) {
        object = next(stream, System.nanoTime() + SOON.toNanos()).path("object");
        var pair = pair(object.path("status"));
        if (!pair.equals(last)) {
          pairs.add(pair);
          last = pair;
        }
      }
    }
    return pairs;
  }

  private static String pair(JsonNode status) {
    return status.path("currentInPlaceRestartAttempt").asText()
        + "/"
        + status.path("previousInPlaceRestartAttempt").asText();
  }

  private Transport.Stream watch(String path, String version) throws Exception {
    var query = "watch=true&timeoutSeconds=20&resourceVersion=" + version;
    return transport.open(Request.get(path, query));
  }

  private JsonNode next(Transport.Stream stream, long deadline) throws Exception {
    var frame = stream.next();
    if (frame == null || System.nanoTime() > deadline) {
      throw new AssertionError(
          "waited in vain; the JobSet is " + admin.get(Kinds.JOB_SETS, TRAIN).orElseThrow());
    }
    return Wire.tree(frame);
  }
}
