package dev.regroup.control.jobset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import dev.regroup.client.ApiClient;
import dev.regroup.client.Kinds;
import dev.regroup.client.ListQuery;
import dev.regroup.client.ObjectKey;
import dev.regroup.control.ControlPlane;
import dev.regroup.control.EveryRoad;
import dev.regroup.control.Road;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/**
 * Group restarts with the real controllers and the real server in one process; the test plays the
 * node and its agent by writing what they would write.
 */
@EveryRoad
class GroupRestartIT {

  @Parameter Road road;
  @TempDir Path directory;

  private ControlPlane plane;
  private ApiClient admin;
  private PlayedGroup group;

  @BeforeEach
  void start() throws Exception {
    plane = new ControlPlane(directory, road);
    admin = new ApiClient(plane.admin());
    group = new PlayedGroup(plane.admin());
  }

  @AfterEach
  void stop() throws Exception {
    plane.close();
  }

  @Test
  void a_jobset_that_says_only_in_place_restart_works_as76() throws Exception {
    group.create(2, "");
    var pods = group.awaitPods(4);

    assertThat(pods)
        .allSatisfy(pod -> {
          assertThat(
                  pod.path("metadata")
                      .path("annotations")
                      .path(PlayedGroup.key("inject-in-place-restart-agent"))
                      .asText())
              .isEqualTo("node");
          assertThat(pod.path("spec").path("subdomain").asText()).isEqualTo("train");
          assertThat(pod.path("spec").path("hostname").asText()).startsWith("train-w-");
        });
    group.report(pods, 0);
    var lifted = group.await(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 0);
    assertThat(lifted.path("syncedEpoch").asInt()).isEqualTo(1);
    assertThat(lifted.has("previousInPlaceRestartAttempt")).isFalse();
  }

  /** JS-97b. */
  @Test
  void pods_at_the_barrier_are_counted_until_it_lifts() throws Exception {
    group.create(2, "");
    var pods = group.awaitPods(4);

    group.report(pods.subList(0, 3), 0);
    awaitAtBarrier(3);
    group.report(pods.subList(3, 4), 0);
    group.await(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 0);

    awaitAtBarrier(0);
  }

  private void awaitAtBarrier(int wanted) throws Exception {
    long deadline = System.nanoTime() + PlayedGroup.SOON.toNanos();
    double seen;
    while ((seen = plane.figures().gauge("jobset_in_place_restart_pods_at_barrier")) != wanted) {
      if (System.nanoTime() > deadline) {
        var now = admin.list(Kinds.PODS, ListQuery.in("default")).items();
        throw new AssertionError(
            "%s pods at the barrier, not %s of %s".formatted(seen, wanted, now));
      }
      Thread.sleep(2); // figures tell nobody when they change
    }
  }

  /**
   * An owner is who has its uid. The stranger has failed, and who counted it would fail the JobSet,
   * which has no restarts. It would go with an owner that never was, so a finalizer holds it.
   */
  @Test
  void a_job_of_a_namesake_does_not_count_as10() throws Exception {
    group.create(1, "\"maxRestarts\":0,");
    var pods = group.awaitPods(2);
    group.report(pods, 0);
    group.await(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 0);
    var stranger =
        Wire.tree(
            """
            {"metadata":{"name":"stranger","finalizers":["example.com/hold"],
              "labels":{"jobset.sigs.k8s.io/jobset-name":"train",
               "jobset.sigs.k8s.io/replicatedjob-name":"w",
               "jobset.sigs.k8s.io/restart-attempt":"0"},
              "ownerReferences":[{"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet",
               "name":"train","uid":"other","controller":true}]},
             "spec":{"suspend":true,"template":{"spec":{"restartPolicy":"Never",
              "containers":[{"name":"c","image":"i"}]}}}}
            """);
    admin.create(Kinds.JOBS, "default", stranger);
    var key = new ObjectKey("default", "stranger");
    admin.mergePatchStatus(
        Kinds.JOBS,
        key,
        """
        {"status":{"startTime":"2026-01-01T00:00:00Z","conditions":[
          {"type":"FailureTarget","status":"True","reason":"BackoffLimitExceeded"},
          {"type":"Failed","status":"True","reason":"BackoffLimitExceeded"}]}}
        """);

    for (var pod : pods) { // their own Job says so, later than the stranger failed
      group.patch(pod, "{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}");
    }
    var status = group.await(one -> one.at("/replicatedJobsStatus/0/ready").asInt() == 1);

    assertThat(status.at("/replicatedJobsStatus/0/failed").asInt()).isZero();
    assertThat(status.path("restarts").asInt()).isZero();
    assertThat(status.path("terminalState").asText()).isEmpty();
    admin.mergePatch(Kinds.JOBS, key, "{\"metadata\":{\"finalizers\":null}}");
    group.awaitNoJob("stranger");
  }

  @Test
  void one_group_restart_changes_the_signals_in_two_revisions_as42_as82() throws Exception {
    group.create(2, "\"maxRestarts\":3,");
    var pods = group.awaitPods(4);
    group.report(pods, 0);
    group.await(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 0);
    var before = admin.get(Kinds.JOB_SETS, PlayedGroup.TRAIN).orElseThrow();

    group.restarting(pods.get(1), 17);
    var ordered =
        group.await(status -> status.path("previousInPlaceRestartAttempt").asInt(-1) == 0);
    assertThat(ordered.path("currentInPlaceRestartAttempt").asInt()).isZero();
    group.report(pods, 1);
    var done = group.await(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 1);

    assertThat(done.path("inPlaceRestarts").get(0).path("exitCode").asInt()).isEqualTo(17);
    assertThat(done.path("inPlaceRestartsCountTowardsMax").asInt()).isEqualTo(1);
    assertThat(done.path("restarts").asInt()).isZero();
    assertThat(group.signals(before)).containsExactly("0/0", "1/0");
    assertThat(PlayedGroup.names(group.awaitPods(4))).isEqualTo(PlayedGroup.names(pods));
  }

  @Test
  void five_restarts_in_a_row_never_wait_and_the_sixth_fails_as44_as83() throws Exception {
    group.create(1, "\"maxRestarts\":5,");
    var pods = group.awaitPods(2);
    group.report(pods, 0);
    group.await(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 0);
    long began = System.nanoTime();

    for (int attempt = 1; attempt <= 5; attempt++) {
      int now = attempt;
      group.restarting(pods.get(attempt % 2), 1);
      group.await(status -> status.path("previousInPlaceRestartAttempt").asInt(-1) == now - 1);
      group.report(pods, attempt);
      group.await(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == now);
    }
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofMinutes(1));

    group.restarting(pods.getFirst(), 1);
    group.await(status -> status.path("terminalState").asText().equals("Failed"));
  }

  @Test
  void a_controller_that_comes_back_in_the_middle_goes_on_as52_js142() throws Exception {
    group.create(1, "\"maxRestarts\":3,");
    var pods = group.awaitPods(2);
    group.report(pods, 0);
    group.await(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 0);
    group.restarting(pods.getFirst(), 1);
    group.await(status -> status.path("previousInPlaceRestartAttempt").asInt(-1) == 0);

    plane.withoutControllers(() -> group.report(pods, 1));

    var done = group.await(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 1);
    assertThat(done.path("inPlaceRestartsCountTowardsMax").asInt()).isEqualTo(1);
  }

  @Test
  void a_sidecar_that_restarts_again_and_again_restarts_no_group_as85() throws Exception {
    group.create(1, "\"maxRestarts\":3,");
    var pods = group.awaitPods(2);
    group.report(pods, 0);
    group.await(status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 0);

    for (int restarts = 1; restarts <= 10; restarts++) {
      group.patch(
          pods.getFirst(),
          """
          {"status":{"initContainerStatuses":[{"name":"logger","image":"none","imageID":"",
           "ready":true,"restartCount":%d,"state":{"running":{}},
           "lastState":{"terminated":{"exitCode":1}}}]}}
          """
              .formatted(restarts));
    }
    group.restarting(pods.getLast(), 1); // what comes after them is the first restart

    var status = group.await(one -> one.path("previousInPlaceRestartAttempt").asInt(-1) == 0);
    assertThat(status.path("inPlaceRestartsCountTowardsMax").asInt()).isEqualTo(1);
    assertThat(status.at("/inPlaceRestarts/0/pod").asText())
        .isEqualTo(PlayedGroup.name(pods.getLast()));
  }

  /** JS-159. */
  @Test
  void two_groups_restart_at_the_same_time_as74() throws Exception {
    var other = new ObjectKey("default", "other");
    group.create("other", 1, "\"maxRestarts\":3,");
    group.create(1, "\"maxRestarts\":3,");
    var pods = group.awaitPods(4);
    group.report(pods, 0);
    for (var one : List.of(PlayedGroup.TRAIN, other)) {
      group.await(one, status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 0);
    }

    group.restarting(pods.getFirst(), 1);
    group.restarting(pods.getLast(), 1);
    for (var one : List.of(PlayedGroup.TRAIN, other)) { // both are told before either is back
      group.await(one, status -> status.path("previousInPlaceRestartAttempt").asInt(-1) == 0);
    }
    group.report(pods, 1);

    for (var one : List.of(PlayedGroup.TRAIN, other)) {
      group.await(one, status -> status.path("currentInPlaceRestartAttempt").asInt(-1) == 1);
    }
  }
}
