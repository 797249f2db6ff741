package dev.regroup.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import org.junit.jupiter.api.Test;

class RunProgressTest {

  private final RunProgress progress = new RunProgress();

  @Test
  void tells_a_group_restart_once_with_its_cause() {
    progress.changed(jobSet("{\"currentInPlaceRestartAttempt\":0}"));

    var told =
        progress.changed(
            jobSet(
                """
                {"currentInPlaceRestartAttempt":0,"previousInPlaceRestartAttempt":0,
                 "inPlaceRestarts":[{"attempt":1,"pod":"t-2","container":"worker","exitCode":1}]}
                """));
    var again =
        progress.changed(
            jobSet("{\"currentInPlaceRestartAttempt\":0,\"previousInPlaceRestartAttempt\":0}"));

    assertThat(told)
        .containsExactly(
            "jobset/t: attempt 0 is over, all go back in place",
            "  caused by t-2, worker exited with code 1");
    assertThat(again).isEmpty();
  }

  @Test
  void ends_with_the_last_workload_and_fails_if_one_failed() {
    progress.expect("JobSet", "default", "t");
    progress.expect("Pod", "default", "p");
    progress.changed(jobSet("{\"terminalState\":\"Completed\"}"));
    assertThat(progress.result()).isEmpty();

    progress.changed(pod("{\"phase\":\"Failed\"}"));

    assertThat(progress.result()).contains(RunProgress.Result.FAILED);
  }

  @Test
  void tells_why_a_job_gave_up() {
    String status =
        "{\"conditions\":[{\"type\":\"Failed\",\"status\":\"True\",\"reason\":\"R\",\"message\":\"m\"}]}";

    assertThat(progress.changed(object("Job", "j", status))).containsExactly("job/j: failed: m");
    assertThat(progress.changed(object("Job", "j", status))).isEmpty();
  }

  @Test
  void a_deleted_workload_has_failed() {
    progress.expect("Pod", "default", "p");

    assertThat(progress.removed(pod("{}"))).containsExactly("pod/p was deleted");
    assertThat(progress.result()).contains(RunProgress.Result.FAILED);
  }

  @Test
  void tells_exits_phases_and_what_a_container_waits_for() {
    assertThat(progress.changed(pod("{\"phase\":\"Running\",\"podIP\":\"10.0.0.2\"}")))
        .containsExactly("pod/p: running at 10.0.0.2");
    assertThat(
            progress.changed(
                pod(
                    """
                    {"phase":"Running","podIP":"10.0.0.2","containerStatuses":[
                      {"name":"c","state":{"terminated":{"exitCode":3}}}]}
                    """)))
        .containsExactly("pod/p: container c exited with code 3");
    assertThat(
            progress.changed(
                pod(
                    """
                    {"phase":"Running","podIP":"10.0.0.2","containerStatuses":[
                      {"name":"c","state":{"waiting":{"reason":"CrashLoopBackOff","message":"m"}}}]}
                    """)))
        .containsExactly("pod/p: container c waits: CrashLoopBackOff: m");
  }

  @Test
  void tells_the_first_start_of_an_init_container_and_no_later_one() {
    String running = "{\"initContainerStatuses\":[{\"name\":\"i\",\"restartCount\":%d,%s}]}";
    String state = "\"state\":{\"running\":{}}";

    assertThat(progress.changed(pod(running.formatted(0, state))))
        .containsExactly("pod/p: init container i runs");
    assertThat(progress.changed(pod(running.formatted(0, state)))).isEmpty();
    progress.changed(pod("{}"));
    assertThat(progress.changed(pod(running.formatted(1, state)))).isEmpty();
  }

  private static com.fasterxml.jackson.databind.JsonNode jobSet(String status) {
    return object("JobSet", "t", status);
  }

  private static com.fasterxml.jackson.databind.JsonNode pod(String status) {
    return object("Pod", "p", status);
  }

  private static com.fasterxml.jackson.databind.JsonNode object(
      String kind, String name, String status) {
    var object = Wire.object().put("kind", kind);
    object.putObject("metadata").put("namespace", "default").put("name", name);
    object.set("status", Wire.tree(status));
    return object;
  }
}
