package dev.regroup.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.cli.local.RestartLog;
import dev.regroup.cli.local.RestartLog.PodRestart;
import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.pod.PodSpec.PodId;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RunSummaryTest {

  private static final Map<String, String> NAMES =
      Map.of("a", "training-worker-0-0-aaaaa", "b", "training-worker-0-1-bbbbb");

  private final RunProgress progress = new RunProgress();

  @Test
  void a_group_restart_is_told_with_its_stages_and_its_cause_within_80_columns() {
    seeGroup(at(300));

    String text = text(List.of(source(), victim()));

    assertThat(text)
        .isEqualTo(
            """
            succeeded in 1.23s, 1 restart
            restart 1: 0.33s down, 2 pods, slowest training-worker-0-1-bbbbb
              until noticed 0.04s, stopped 0.02s, removed 0.01s, at the barrier 0.18s,
                lifted 0.05s, running 0.03s
              because of training-worker-0-0-aaaaa: container w exited with code 1
            (from the exit to all running; until a hang is noticed, its grace, the program's
             own start and the steps it does again come on top)\
            """);
    assertThat(text.lines()).allMatch(line -> line.length() <= 80);
  }

  @Test
  void a_restart_that_no_group_got_past_is_none() {
    see("Pod", "a", "{}");
    see("JobSet", "t", "{}");
    var begun = new PodRestart("a", Map.of(Moment.EXIT_SEEN, at(0), Moment.NOTICED, at(10)));

    assertThat(text(List.of(begun))).isEqualTo("succeeded in 1.23s, no restarts");
  }

  @Test
  void a_first_start_is_no_restart() {
    see("Pod", "a", "{\"containerStatuses\":[{\"name\":\"c\",\"restartCount\":0}]}");

    assertThat(text(List.of(new PodRestart("a", Map.of(Moment.RUNNING, at(10))))))
        .isEqualTo("succeeded in 1.23s, no restarts");
  }

  /** JS-169. */
  @Test
  void workers_that_let_their_group_wait_are_named_with_the_annotation_that_bounds_it() {
    seeGroup(at(2_300));

    String text = text(List.of(source(), late()));

    assertThat(text)
        .contains(
            """
              2.00s of it for training-worker-0-1-bbbbb to end after the stop signal
                (annotation regroup.dev/restart-grace: how long they may take)
            """)
        .doesNotContain("for training-worker-0-0-aaaaa");
    assertThat(text.lines()).allMatch(line -> line.length() <= 80);
  }

  @Test
  void restarts_of_a_pod_that_the_log_forgot_are_still_restarts_of_all_its_containers() {
    int most = RestartLog.MOST + 3;
    seePlain("p", most);
    var log = new RestartLog();
    for (int epoch = 1; epoch <= most; epoch++) {
      var cycle = Map.of(Moment.NOTICED, at(2 * epoch), Moment.RUNNING, at(2 * epoch + 1));
      reach(log, epoch, new PodRestart("p", cycle));
    }

    assertThat(log.seen().newest())
        .hasSize(RestartLog.MOST)
        .first()
        .extracting(one -> one.moments().get(Moment.NOTICED))
        .isEqualTo(at(8));
    assertThat(text(log)).startsWith("succeeded in 1.23s, 10003 restarts\nof 10000 restarts the");
  }

  @Test
  void a_moment_that_is_told_again_and_a_restart_given_up_count_for_nothing() {
    seePlain("p", 1);
    var log = new RestartLog();
    var cycle = new PodRestart("p", Map.of(Moment.NOTICED, at(2), Moment.RUNNING, at(3)));
    reach(log, 0, new PodRestart("p", Map.of(Moment.RUNNING, at(1))));
    reach(log, 1, cycle);
    reach(log, 1, cycle);
    reach(log, 2, new PodRestart("p", Map.of(Moment.NOTICED, at(4))));

    assertThat(log.seen().cycles()).isEqualTo(Map.of("p", 1));
    assertThat(text(log)).startsWith("succeeded in 1.23s, 1 restart\n");
  }

  private static PodRestart late() {
    var moments = new EnumMap<Moment, Instant>(Moment.class);
    victim()
        .moments()
        .forEach((moment, at) ->
            moments.put(moment, moment == Moment.NOTICED ? at : at.plusMillis(1_980)));
    return new PodRestart("b", moments);
  }

  @Test
  void why_it_failed_comes_first() {
    String text =
        RunSummary.text(
            Duration.ofMillis(4730),
            "failed in",
            List.of("because of p: container c exited with code 7"),
            progress,
            new RestartLog().seen(),
            Map.of());

    assertThat(text)
        .isEqualTo(
            """
            failed in 4.73s, no restarts
              because of p: container c exited with code 7\
            """);
  }

  private String text(List<PodRestart> restarts) {
    var log = new RestartLog();
    for (int i = 0; i < restarts.size(); i++) {
      reach(log, i, restarts.get(i));
    }
    return text(log);
  }

  private static void reach(RestartLog log, int epoch, PodRestart restart) {
    var pod = new PodId("default", restart.podUid(), restart.podUid());
    new TreeMap<>(restart.moments()).forEach((moment, at) -> log.reached(pod, epoch, moment, at));
  }

  private String text(RestartLog log) {
    return RunSummary.text(
        Duration.ofMillis(1234), "succeeded in", List.of(), progress, log.seen(), NAMES);
  }

  private static PodRestart source() {
    return new PodRestart(
        "a",
        Map.of(
            Moment.EXIT_SEEN, at(0),
            Moment.NOTICED, at(10),
            Moment.STOPPED, at(20),
            Moment.REMOVED, at(30),
            Moment.AT_BARRIER, at(100),
            Moment.LIFTED, at(300),
            Moment.RUNNING, at(310)));
  }

  private static PodRestart victim() {
    return new PodRestart(
        "b",
        Map.of(
            Moment.NOTICED, at(40),
            Moment.STOPPED, at(60),
            Moment.REMOVED, at(70),
            Moment.AT_BARRIER, at(250),
            Moment.LIFTED, at(300),
            Moment.RUNNING, at(330)));
  }

  /** Two workers whose group restarted once. */
  private void seeGroup(Instant lifted) {
    see("Pod", "a", "{}");
    see("Pod", "b", "{}");
    see(
        "JobSet",
        "t",
        """
        {"inPlaceRestarts":[{"attempt":1,"pod":"training-worker-0-0-aaaaa","container":"w",
          "reason":"ContainerExited","exitCode":1,"startedAt":"1970-01-01T00:00:00.040Z","liftedAt":"%s"}]}
        """
            .formatted(lifted));
  }

  /** A pod of nobody whose only container restarted so often. */
  private void seePlain(String uid, int restarts) {
    ObjectNode pod = Wire.object().put("kind", "Pod");
    pod.putObject("metadata").put("namespace", "default").put("name", uid).put("uid", uid);
    var status = pod.putObject("status").putArray("containerStatuses").addObject();
    status.put("name", "c").put("restartCount", restarts).putObject("state").putObject("running");
    progress.changed(pod, Instant.EPOCH);
  }

  private void see(String kind, String uid, String status) {
    ObjectNode object = Wire.object().put("kind", kind);
    object
        .putObject("metadata")
        .put("namespace", "default")
        .put("name", uid)
        .put("uid", uid)
        .putObject("labels")
        .put("jobset.sigs.k8s.io/jobset-name", "t");
    object.putObject("spec").putObject("failurePolicy").put("restartStrategy", "InPlaceRestart");
    object.set("status", Wire.tree(status));
    progress.changed(object, Instant.EPOCH);
  }

  private static Instant at(long millis) {
    return Instant.EPOCH.plusMillis(millis);
  }
}
