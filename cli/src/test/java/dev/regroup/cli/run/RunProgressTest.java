package dev.regroup.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunProgressTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:10Z");

  private final RunProgress progress = new RunProgress();

  @Test
  void tells_a_group_restart_once_with_its_cause() {
    changed(jobSet("{\"currentInPlaceRestartAttempt\":0}"));

    var told =
        changed(
            jobSet(
                """
                {"currentInPlaceRestartAttempt":0,"previousInPlaceRestartAttempt":0,
                 "inPlaceRestarts":[{"attempt":1,"reason":"ContainerExited","pod":"t-2",
                  "container":"worker","exitCode":1}]}
                """));
    var again =
        changed(jobSet("{\"currentInPlaceRestartAttempt\":0,\"previousInPlaceRestartAttempt\":0}"));

    assertThat(told)
        .containsExactly(
            "jobset/t: attempt 0 is over, all go back in place",
            "  because of t-2: container worker exited with code 1");
    assertThat(again).isEmpty();
  }

  @Test
  void a_cause_that_is_nobodys_failure_reads_as_one() {
    assertThat(changed(jobSet(restarting("", "Requested"))))
        .contains("  because of a request to restart");
  }

  @Test
  void the_culprit_is_who_failed_first_whomever_the_api_saw_first() {
    changed(member("t-0", ended(1, "Error", "2026-01-01T00:00:09Z"), ""));
    changed(member("t-1", ended(137, "OOMKilled", "2026-01-01T00:00:05Z"), ""));

    var told = changed(jobSet(restarting("t-0", "ContainerExited")));

    assertThat(told).contains("  because of t-1: container c ran out of memory (OOMKilled)");
  }

  @Test
  void among_those_of_one_second_the_api_decides() {
    changed(member("t-0", ended(1, "Error", "2026-01-01T00:00:09Z"), ""));
    changed(member("t-1", ended(2, "Error", "2026-01-01T00:00:09Z"), ""));

    assertThat(changed(jobSet(restarting("t-1", "ContainerExited"))))
        .contains("  because of t-1: container c exited with code 2; in the same second as t-0");
  }

  /** Regroup's node tells more than the whole seconds of a status. */
  @Test
  void among_those_of_one_second_the_first_counts_where_the_pods_tell_it() {
    changed(failed("t-0", 1, "2026-01-01T00:00:09.000712Z"));
    changed(failed("t-1", 2, "2026-01-01T00:00:09.000711Z"));

    assertThat(changed(jobSet(restarting("t-0", "ContainerExited"))))
        .contains("  because of t-1: container c exited with code 2");
  }

  private static JsonNode failed(String name, int code, String at) {
    var pod = member(name, ended(code, "Error", "2026-01-01T00:00:09Z"), "");
    ((ObjectNode) pod.path("metadata"))
        .putObject("annotations")
        .put("regroup.dev/program", "{\"failed\":\"" + at + "\"}");
    return pod;
  }

  @Test
  void who_is_only_stopped_is_no_culprit() {
    changed(member("t-0", running(), ""));
    changed(member("t-0", running(), RESTARTING));

    assertThat(changed(member("t-0", ended(137, "Error", "2026-01-01T00:00:09Z"), RESTARTING)))
        .isEmpty();
    assertThat(changed(jobSet(restarting("t-2", "PodDeleted"))))
        .contains("  because of t-2: was deleted");
  }

  @Test
  void an_agent_that_ends_with_its_group_is_no_culprit() {
    changed(withAgent(running()));

    assertThat(changed(withAgent(ended(1, "Error", "2026-01-01T00:00:09Z")))).isEmpty();
    assertThat(changed(jobSet(restarting("t-2", "PodDeleted"))))
        .contains("  because of t-2: was deleted");
  }

  /** Of a pod whose container c is one. */
  private static JsonNode withAgent(String container) {
    var pod = member("t-0", container, "");
    ((ObjectNode) pod)
        .set(
            "spec",
            Wire.tree(
                """
                {"initContainers":[{"name":"c","restartPolicy":"Always","restartPolicyRules":
                  [{"action":"RestartAllContainers","exitCodes":{"operator":"In","values":[1]}}]}]}
                """));
    return pod;
  }

  @Test
  void a_stop_that_is_seen_only_afterwards_is_no_exit_either() {
    changed(member("t-0", running(), ""));

    var told =
        changed(
            member(
                "t-0",
                """
                {"state":{"waiting":{"reason":"WaitingForBarrier"}},"lastState":{"terminated":
                  {"exitCode":137,"reason":"RestartingAllContainers","containerID":"regroup://1",
                   "message":"Pod is at attempt 0, the group moves on to 1"}}}
                """,
                ""));

    assertThat(told).isEmpty();
  }

  @Test
  void an_exit_that_is_seen_only_afterwards_is_told() {
    changed(member("t-0", running(), ""));

    var told =
        changed(
            member(
                "t-0",
                """
                {"state":{"waiting":{"reason":"WaitingForBarrier"}},"lastState":{"terminated":
                  {"exitCode":3,"reason":"RestartingAllContainers","containerID":"regroup://1",
                   "message":"Container c exited with code 3, triggering pod restart"}}}
                """,
                ""));

    assertThat(told).containsExactly("pod/t-0: container c exited with code 3");
  }

  @Test
  void a_mistyped_command_is_named() {
    var told =
        changed(
            pod(
                """
                {"phase":"Pending","containerStatuses":[{"name":"c","state":{"terminated":
                  {"exitCode":128,"reason":"StartError","message":"exec: \\"pyton\\": not found"}}}]}
                """));

    assertThat(told)
        .containsExactly("pod/p: container c could not start: exec: \"pyton\": not found");
  }

  @Test
  void a_hanging_worker_is_the_culprit_although_it_ends_last() {
    changed(member("t-1", running(), ""));
    assertThat(changed(event("Unhealthy", "t-1", "Liveness probe failed: no answer"))).isEmpty();
    assertThat(changed(event("Killing", "t-1", "Stopping container c")))
        .containsExactly("pod/t-1: container c is stopped, its liveness probe failed: no answer");
    changed(member("t-0", ended(1, "Error", "2026-01-01T00:00:08Z"), ""));
    changed(member("t-1", ended(137, "Error", "2026-01-01T00:00:30Z"), ""));

    assertThat(changed(jobSet(restarting("t-0", "ContainerExited"))))
        .contains("  because of t-1: container c was stopped, its liveness probe failed");
  }

  /** Events are told later than states, and watched by themselves. */
  @Test
  void a_probe_is_blamed_also_when_the_end_is_known_before_the_event() {
    changed(member("t-1", running(), ""));
    changed(event("Unhealthy", "t-1", "Liveness probe failed: no answer"));
    changed(member("t-1", ended(143, "Error", "2026-01-01T00:00:02Z"), ""));
    changed(event("Killing", "t-1", "Stopping container c"));

    assertThat(changed(jobSet(restarting("t-1", "ContainerExited"))))
        .contains("  because of t-1: container c was stopped, its liveness probe failed");
  }

  @Test
  void the_probe_of_a_later_run_is_no_reason_for_an_earlier_end() {
    changed(member("t-1", running(), ""));
    changed(member("t-1", ended(3, "Error", "2026-01-01T00:00:01Z"), ""));
    changed(event("Unhealthy", "t-1", "Liveness probe failed: no answer"));
    changed(event("Killing", "t-1", "Stopping container c"));

    assertThat(changed(jobSet(restarting("t-1", "ContainerExited"))))
        .contains("  because of t-1: container c exited with code 3");
  }

  @Test
  void who_caused_a_recreation_may_be_known_after_it() {
    changed(jobSet("{}"));
    changed(jobSet("{\"restarts\":1}"));
    changed(member("t-0", ended(3, "Error", "2026-01-01T00:00:09Z"), ""));

    assertThat(progress.recreations())
        .singleElement()
        .extracting(one -> one.of().map(FailureHistory.Fault::text).orElse("nobody"))
        .isEqualTo("t-0: container c exited with code 3");
  }

  @Test
  void a_probe_that_failed_long_before_stops_nobody() {
    changed(member("t-1", running(), ""));
    changed(event("Unhealthy", "t-1", "Startup probe failed: connection refused"));

    assertThat(changed(at("2026-01-01T00:01:02Z", event("Killing", "t-1", "Stopping container c"))))
        .isEmpty();
    changed(event("Unhealthy", "t-1", "Liveness probe failed: no answer"));
    assertThat(
            changed(
                at(
                    "2026-01-01T00:01:02Z",
                    event("Killing", "t-1", "Container c failed liveness probe"))))
        .as("unless the node says so")
        .hasSize(1);
  }

  /** A worker that ends within two seconds takes its sidecar with it. */
  @Test
  void a_startup_probe_that_went_well_in_the_end_stops_nobody() {
    var started = running().replace("{\"state\"", "{\"started\":true,\"state\"");
    changed(member("t-1", running(), ""));
    changed(event("Unhealthy", "t-1", "Startup probe failed: connection refused"));
    changed(member("t-1", started, ""));
    assertThat(changed(event("Killing", "t-1", "Stopping container c"))).isEmpty();

    changed(event("Unhealthy", "t-1", "Startup probe failed: connection refused"));
    assertThat(changed(event("Killing", "t-1", "Stopping container c"))).as("told late").isEmpty();
  }

  private static JsonNode at(String time, JsonNode event) {
    return ((ObjectNode) event).put("lastTimestamp", time);
  }

  @Test
  void a_recreation_says_why() {
    changed(member("t-0", ended(3, "Error", "2026-01-01T00:00:09Z"), ""));

    assertThat(changed(jobSet("{\"restarts\":1}")))
        .containsExactly(
            "jobset/t: all jobs are made anew, recreation 1",
            "  because of t-0: container c exited with code 3");
    assertThat(
            changed(
                jobSet(
                    """
                    {"restarts":2,"conditions":[{"type":"RestartingJobSet","status":"True",
                     "message":"recreating all jobs because a Pod has succeeded (Pod t-1)"}]}
                    """)))
        .containsExactly(
            "jobset/t: all jobs are made anew, recreation 2",
            "  because a Pod has succeeded (Pod t-1)");
  }

  @Test
  void ends_with_the_last_workload_and_fails_if_one_failed() {
    progress.expect("JobSet", "default", "t");
    progress.expect("Pod", "default", "p");
    changed(jobSet("{\"terminalState\":\"Completed\"}"));
    assertThat(progress.result()).isEmpty();

    changed(pod("{\"phase\":\"Failed\"}"));

    assertThat(progress.result()).contains(RunProgress.Result.FAILED);
  }

  @Test
  void names_who_made_it_fail() {
    progress.expect("JobSet", "default", "t");
    changed(member("t-1", ended(3, "Error", "2026-01-01T00:00:05Z"), ""));
    changed(member("t-0", ended(1, "Error", "2026-01-01T00:00:06Z"), ""));
    changed(jobSet("{\"terminalState\":\"Failed\"}"));

    assertThat(progress.culprits()).containsExactly("t-1: container c exited with code 3");
  }

  @Test
  void tells_why_a_job_gave_up() {
    String status =
        "{\"conditions\":[{\"type\":\"Failed\",\"status\":\"True\",\"reason\":\"R\",\"message\":\"m\"}]}";

    assertThat(changed(object("Job", "j", status))).containsExactly("job/j: failed: m");
    assertThat(changed(object("Job", "j", status))).isEmpty();
  }

  @Test
  void a_deleted_workload_has_failed() {
    progress.expect("Pod", "default", "p");

    assertThat(progress.removed(pod("{}"))).containsExactly("pod/p was deleted");
    assertThat(progress.result()).contains(RunProgress.Result.FAILED);
  }

  @Test
  void tells_phases_and_exits() {
    assertThat(changed(pod("{\"phase\":\"Running\",\"podIP\":\"10.0.0.2\"}")))
        .containsExactly("pod/p: running at 10.0.0.2");
    assertThat(
            changed(
                pod(
                    """
                    {"phase":"Running","podIP":"10.0.0.2","containerStatuses":[
                      {"name":"c","state":{"terminated":{"exitCode":3}}}]}
                    """)))
        .containsExactly("pod/p: container c exited with code 3");
  }

  @Test
  void what_a_pod_waits_for_is_said_once_when_it_has_lasted_a_moment() {
    String waiting =
        """
        {"phase":"Pending","containerStatuses":[{"name":"c","state":{"waiting":
          {"reason":"CreateContainerConfigError","message":"configmap \\"m\\" not found"}}}]}
        """;
    assertThat(changed(pod(waiting))).isEmpty();
    assertThat(progress.due(NOW)).isEmpty();

    var due = progress.nextDue().orElseThrow();
    assertThat(progress.due(due))
        .containsExactly("pod/p: container c cannot be configured: configmap \"m\" not found");
    changed(pod(waiting));

    assertThat(progress.due(due.plusSeconds(60))).isEmpty();
    assertThat(progress.nextDue()).isEmpty();
    assertThat(progress.waitingFor()).hasSize(1);
  }

  @Test
  void pods_with_the_same_trouble_share_a_line() {
    for (String name : List.of("a", "b", "c")) {
      changed(
          object(
              "Pod",
              name,
              """
              {"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False",
                "reason":"Unschedulable","message":"0/1 nodes are available."}]}
              """));
    }

    assertThat(progress.due(NOW.plus(Troubles.MOMENT)))
        .containsExactly("pod/a and 2 others: cannot be scheduled: 0/1 nodes are available.");
  }

  @Test
  void a_group_that_waits_for_long_is_told_until_it_goes_on() {
    String condition =
        "{\"conditions\":[{\"type\":\"BarrierWaiting\",\"status\":\"%s\",\"message\":\"for"
            + " t-2\"}]}";
    changed(jobSet(condition.formatted("True")));

    assertThat(progress.due(NOW.plus(Troubles.MOMENT)))
        .containsExactly("jobset/t: waits at the barrier: for t-2");
    changed(jobSet(condition.formatted("False")));

    assertThat(progress.waitingFor()).isEmpty();
  }

  @Test
  void a_job_that_cannot_make_its_pods_is_told_and_forgotten_when_it_can() {
    progress.expect("Job", "default", "j");
    changed(jobEvent("FailedCreate", "Error creating: pods \"j-x\" is forbidden: no account"));
    assertThat(progress.due(NOW.plus(Troubles.MOMENT)))
        .containsExactly(
            "job/j: its pods cannot be created: pods \"j-x\" is forbidden: no account");
    changed(jobEvent("FailedCreate", "Error creating: pods \"j-y\" is forbidden: no account"));
    assertThat(progress.due(NOW.plusSeconds(60))).isEmpty();

    var pod = (ObjectNode) pod("{}");
    ((ObjectNode) pod.path("metadata"))
        .putArray("ownerReferences")
        .addObject()
        .put("kind", "Job")
        .put("name", "j")
        .put("controller", true);
    changed(pod);

    assertThat(progress.waitingFor()).containsExactly("job/j to end");
  }

  @Test
  void counts_group_restarts_that_got_past_their_barrier() {
    changed(
        jobSet(
            """
            {"restarts":1,"inPlaceRestarts":[
              {"attempt":3,"startedAt":"2026-01-01T00:00:03Z"},
              {"attempt":2,"startedAt":"2026-01-01T00:00:02Z","liftedAt":"2026-01-01T00:00:02Z"},
              {"attempt":1,"startedAt":"2026-01-01T00:00:01Z","liftedAt":"2026-01-01T00:00:01Z"}]}
            """));
    changed(member("t-0", ended(1, "Error", "2026-01-01T00:00:01Z"), ""));

    assertThat(progress.counts().words()).isEqualTo("2 restarts in place, 1 recreation");
    assertThat(progress.groupRestarts()).hasSize(2);
  }

  @Test
  void counts_restarts_of_containers_and_pods_that_take_the_place_of_failed_ones() {
    assertThat(progress.counts().words()).isEqualTo("no restarts");

    changed(pod(count(3, "\"running\":{}")));
    changed(pod(count(4, "\"waiting\":{}")));
    changed(pod(count(4, "\"terminated\":{\"reason\":\"ContainerStatusUnknown\"}")));

    assertThat(progress.counts().words()).isEqualTo("3 container restarts");
    var restarted = (ObjectNode) pod(count(3, "\"running\":{}"));
    ((ObjectNode) restarted.path("metadata"))
        .putObject("annotations")
        .put("regroup.dev/restarts", "{\"completed\":2}");
    changed(restarted);

    assertThat(progress.counts().words()).isEqualTo("2 restarts in place, 1 container restart");
  }

  private static String count(int restarts, String state) {
    return "{\"containerStatuses\":[{\"name\":\"c\",\"restartCount\":%d,\"state\":{%s}}]}"
        .formatted(restarts, state);
  }

  @Test
  void tells_the_first_start_of_an_init_container_and_no_later_one() {
    String running = "{\"initContainerStatuses\":[{\"name\":\"i\",\"restartCount\":%d,%s}]}";
    String state = "\"state\":{\"running\":{}}";

    assertThat(changed(pod(running.formatted(0, state))))
        .containsExactly("pod/p: init container i runs");
    assertThat(changed(pod(running.formatted(0, state)))).isEmpty();
    changed(pod("{}"));
    assertThat(changed(pod(running.formatted(1, state)))).isEmpty();
  }

  private static final String RESTARTING =
      "{\"type\":\"AllContainersRestarting\",\"status\":\"True\"}";

  private List<String> changed(JsonNode object) {
    return progress.changed(object, NOW);
  }

  private static String running() {
    return "{\"state\":{\"running\":{}},\"containerID\":\"regroup://1\"}";
  }

  private static String ended(int code, String reason, String at) {
    return """
    {"state":{"terminated":{"exitCode":%d,"reason":"%s","finishedAt":"%s",
      "startedAt":"2026-01-01T00:00:00Z","containerID":"regroup://1"}}}
    """
        .formatted(code, reason, at);
  }

  private static String restarting(String pod, String reason) {
    return """
    {"previousInPlaceRestartAttempt":0,"inPlaceRestarts":[
      {"attempt":1,"pod":"%s","reason":"%s","startedAt":"2026-01-01T00:00:10Z"}]}
    """
        .formatted(pod, reason);
  }

  /** A pod of the JobSet with one container, c. */
  private static JsonNode member(String name, String container, String condition) {
    var status = Wire.object();
    var c = Wire.tree(container);
    status.putArray("containerStatuses").add(c.put("name", "c"));
    if (!condition.isEmpty()) {
      status.putArray("conditions").add(Wire.tree(condition));
    }
    var pod = object("Pod", name, status.toString());
    ((ObjectNode) pod.path("metadata"))
        .putObject("labels")
        .put("jobset.sigs.k8s.io/jobset-name", "t");
    return pod;
  }

  private static JsonNode event(String reason, String pod, String message) {
    var event = object("Event", "e", "{}");
    ((ObjectNode) event)
        .put("reason", reason)
        .put("message", message)
        .put("lastTimestamp", "2026-01-01T00:00:02Z")
        .putObject("involvedObject")
        .put("kind", "Pod")
        .put("namespace", "default")
        .put("name", pod)
        .put("uid", "uid-" + pod)
        .put("fieldPath", "spec.containers{c}");
    return event;
  }

  private static JsonNode jobEvent(String reason, String message) {
    var event = event(reason, "j", message);
    ((ObjectNode) event.path("involvedObject")).put("kind", "Job").remove("fieldPath");
    return event;
  }

  private static JsonNode jobSet(String status) {
    var jobSet = object("JobSet", "t", status);
    ((ObjectNode) jobSet)
        .putObject("spec")
        .putObject("failurePolicy")
        .put("restartStrategy", "InPlaceRestart");
    return jobSet;
  }

  private static JsonNode pod(String status) {
    return object("Pod", "p", status);
  }

  private static JsonNode object(String kind, String name, String status) {
    var object = Wire.object().put("kind", kind);
    object
        .putObject("metadata")
        .put("namespace", "default")
        .put("name", name)
        .put("uid", "uid-" + name);
    object.set("status", Wire.tree(status));
    return object;
  }
}
