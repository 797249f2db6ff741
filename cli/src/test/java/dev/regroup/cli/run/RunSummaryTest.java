package dev.regroup.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.pod.RestartHistories;
import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.pod.CompletedRestart;
import dev.regroup.rules.pod.RestartHistory;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RunSummaryTest {

  private static final String A = "training-worker-0-0-aaaaa";
  private static final String B = "training-worker-0-1-bbbbb";

  private final RunProgress progress = new RunProgress();

  @Test
  void a_group_restart_is_told_with_its_stages_and_its_cause_within_80_columns() {
    seeGroup(at(300), SOURCE, VICTIM);

    String text = text();

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
    see("Pod", A, "{}", restarted(SOURCE));
    see("JobSet", "t", "{}", RestartHistory.NONE);

    assertThat(text()).isEqualTo("succeeded in 1.23s, no restarts");
  }

  /** JS-169. */
  @Test
  void workers_that_let_their_group_wait_are_named_with_the_annotation_that_bounds_it() {
    seeGroup(at(2_300), SOURCE, late());

    String text = text();

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
  void restarts_a_pod_no_longer_tells_of_are_still_counted() {
    var history = RestartHistory.NONE;
    for (int cycle = 1; cycle <= 12; cycle++) {
      var moments = Map.of(Moment.NOTICED, at(20 * cycle), Moment.RUNNING, at(20 * cycle + 10));
      history = history.with(new CompletedRestart(cycle, moments));
    }
    seePlain("p", 12, history);

    assertThat(text())
        .startsWith("succeeded in 1.23s, 12 restarts\nof 12 restarts the last 10:\nrestart 3: ")
        .contains("\nrestart 12: 0.01s down, p");
  }

  private static Map<Moment, Instant> late() {
    var moments = new EnumMap<Moment, Instant>(Moment.class);
    VICTIM.forEach(
        (moment, at) -> moments.put(moment, moment == Moment.NOTICED ? at : at.plusMillis(1_980)));
    return moments;
  }

  @Test
  void why_it_failed_comes_first() {
    String text =
        RunSummary.text(
            Duration.ofMillis(4730),
            "failed in",
            List.of("because of p: container c exited with code 7"),
            progress);

    assertThat(text)
        .isEqualTo(
            """
            failed in 4.73s, no restarts
              because of p: container c exited with code 7\
            """);
  }

  private String text() {
    return RunSummary.text(Duration.ofMillis(1234), "succeeded in", List.of(), progress);
  }

  private static final Map<Moment, Instant> SOURCE =
      Map.of(
          Moment.EXIT_SEEN, at(0),
          Moment.NOTICED, at(10),
          Moment.STOPPED, at(20),
          Moment.REMOVED, at(30),
          Moment.AT_BARRIER, at(100),
          Moment.LIFTED, at(300),
          Moment.RUNNING, at(310));

  private static final Map<Moment, Instant> VICTIM =
      Map.of(
          Moment.NOTICED, at(40),
          Moment.STOPPED, at(60),
          Moment.REMOVED, at(70),
          Moment.AT_BARRIER, at(250),
          Moment.LIFTED, at(300),
          Moment.RUNNING, at(330));

  private static RestartHistory restarted(Map<Moment, Instant> moments) {
    return RestartHistory.NONE.with(new CompletedRestart(1, moments));
  }

  /** Two workers whose group restarted once. */
  private void seeGroup(Instant lifted, Map<Moment, Instant> a, Map<Moment, Instant> b) {
    see("Pod", A, "{}", restarted(a));
    see("Pod", B, "{}", restarted(b));
    see(
        "JobSet",
        "t",
        """
        {"inPlaceRestarts":[{"attempt":1,"pod":"training-worker-0-0-aaaaa","container":"w",
          "reason":"ContainerExited","exitCode":1,"startedAt":"1970-01-01T00:00:00.040Z",
          "liftedAt":"%s"}]}
        """
            .formatted(lifted),
        RestartHistory.NONE);
  }

  /** A pod of nobody whose only container restarted so often. */
  private void seePlain(String uid, int restarts, RestartHistory history) {
    ObjectNode pod = Wire.object().put("kind", "Pod");
    pod.putObject("metadata")
        .put("namespace", "default")
        .put("name", uid)
        .put("uid", uid)
        .set("annotations", Wire.toTree(RestartHistories.annotation(history)));
    var status = pod.putObject("status").putArray("containerStatuses").addObject();
    status.put("name", "c").put("restartCount", restarts).putObject("state").putObject("running");
    progress.changed(pod, Instant.EPOCH);
  }

  private void see(String kind, String uid, String status, RestartHistory history) {
    ObjectNode object = Wire.object().put("kind", kind);
    var metadata = object.putObject("metadata");
    metadata.put("namespace", "default").put("name", uid).put("uid", uid);
    metadata.putObject("labels").put("jobset.sigs.k8s.io/jobset-name", "t");
    metadata.set("annotations", Wire.toTree(RestartHistories.annotation(history)));
    object.putObject("spec").putObject("failurePolicy").put("restartStrategy", "InPlaceRestart");
    object.set("status", Wire.tree(status));
    progress.changed(object, Instant.EPOCH);
  }

  private static Instant at(long millis) {
    return Instant.EPOCH.plusMillis(millis);
  }
}
