package dev.regroup.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.cli.local.RestartLog.PodRestart;
import dev.regroup.rules.Stages.Moment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RunSummaryTest {

  private static final Map<String, String> NAMES =
      Map.of("a", "training-worker-0-0-aaaaa", "b", "training-worker-0-1-bbbbb");

  private final RunProgress progress = new RunProgress();

  @Test
  void a_group_restart_is_told_with_its_stages_and_its_cause_within_80_columns() {
    see("Pod", "a", "{}");
    see("Pod", "b", "{}");
    see(
        "JobSet",
        "t",
        """
        {"inPlaceRestarts":[{"attempt":1,"pod":"training-worker-0-0-aaaaa","container":"w",
          "exitCode":1,"startedAt":"1970-01-01T00:00:00.040Z",
          "liftedAt":"1970-01-01T00:00:00.300Z"}]}
        """);

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

  @Test
  void why_it_failed_comes_first() {
    String text =
        RunSummary.text(
            Duration.ofMillis(4730),
            "failed in",
            List.of("because of p: container c exited with code 7"),
            progress,
            List.of(),
            Map.of());

    assertThat(text)
        .isEqualTo(
            """
            failed in 4.73s, no restarts
              because of p: container c exited with code 7\
            """);
  }

  private String text(List<PodRestart> restarts) {
    return RunSummary.text(
        Duration.ofMillis(1234), "succeeded in", List.of(), progress, restarts, NAMES);
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
