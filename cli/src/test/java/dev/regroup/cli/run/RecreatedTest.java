package dev.regroup.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.api.pod.RestartHistories;
import dev.regroup.rules.pod.RestartHistory;
import dev.regroup.rules.progress.ProgramLife;
import dev.regroup.rules.progress.ProgressStep;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What all Jobs made anew look like, from the end of the first worker until the new ones work. */
class RecreatedTest {

  private static final Instant BEGAN = Instant.parse("2026-01-01T00:00:00Z");
  private static final String FAILED =
      """
      {"phase":"Failed","containerStatuses":[{"name":"c","state":{"terminated":{"exitCode":1,
        "startedAt":"2026-01-01T00:00:01Z","finishedAt":"2026-01-01T00:00:09Z",
        "containerID":"x://1"}}}]}
      """;
  private static final String RUNNING =
      "{\"phase\":\"Running\",\"containerStatuses\":[{\"name\":\"c\",\"state\":{\"running\":{}}}]}";
  private static final String PENDING = "{\"phase\":\"Pending\"}";

  private final RunProgress progress = new RunProgress();

  @BeforeEach
  void runTwoWorkersUntilOneFails() {
    progress.expect("JobSet", "default", "t");
    jobSet(0, at(0));
    pod("a", 0, RUNNING, life(at(1_000), at(1_100)), at(1_000));
    pod("b", 0, RUNNING, life(at(1_000), at(1_200)), at(1_000));
    pod("a", 0, FAILED, life(at(1_000), at(1_100)), at(9_100));
    jobSet(1, at(9_200));
  }

  @Test
  void a_recreation_is_under_way_until_as_many_run_again_and_one_has_written_something() {
    assertUnderWay(at(9_300)); // none is there
    pod("a", 1, PENDING, ProgramLife.UNSEEN, at(9_400));
    assertUnderWay(at(9_500));
    pod("a", 1, RUNNING, life(at(9_600), null), at(9_600));
    assertUnderWay(at(9_700)); // one of two
    pod("b", 1, RUNNING, life(at(9_900), null), at(9_900));
    assertUnderWay(at(9_950)); // both, but nobody has written anything

    pod("b", 1, RUNNING, life(at(9_900), at(11_000)), at(11_000));

    var view = view(at(20_000));
    assertThat(view.restart()).isEmpty();
    assertThat(view.restarts())
        .singleElement()
        .satisfies(told -> {
          assertThat(told.down()).isEqualTo(Duration.ofMillis(2_000)); // since 9.000
          assertThat(told.blame().cause()).startsWith("a-0: container c exited with code 1");
        });
  }

  @Test
  void one_that_comes_to_nothing_is_down_until_the_next() {
    pod("a", 1, PENDING, ProgramLife.UNSEEN, at(9_400));
    jobSet(2, at(12_000));
    pod("a", 2, RUNNING, life(at(13_000), at(13_100)), at(13_000));
    pod("b", 2, RUNNING, life(at(13_000), at(13_100)), at(13_000));

    var restarts = view(at(20_000)).restarts();

    assertThat(restarts)
        .extracting(told -> told.began().plus(told.down()))
        .element(0)
        .isEqualTo(restarts.getLast().began());
  }

  /** Pods tell their steps every few seconds. */
  @Test
  void what_the_new_pods_do_again_ends_at_the_step_that_the_old_ones_had_reached() {
    pod(
        "a",
        0,
        FAILED,
        life(at(1_000), at(1_100), new ProgressStep(180, 400, at(9_000))),
        at(9_250));
    pod(
        "a",
        1,
        RUNNING,
        life(at(9_600), at(10_000), new ProgressStep(151, 400, at(10_000))),
        at(10_300));
    pod("b", 1, RUNNING, life(at(9_600), at(10_000)), at(10_300));
    assertThat(view(at(10_400)).goodput().orElseThrow().redoing()).hasMillis(400); // so far

    pod(
        "a",
        1,
        RUNNING,
        life(at(9_600), at(15_000), new ProgressStep(209, 400, at(15_800))),
        at(15_900));

    var restart = report(at(60_000)).path("restarts").path(0);
    assertThat(restart.path("redoingSeconds").asDouble()).isEqualTo(2.9); // 29 of 58 steps
    assertThat(restart.path("redoneSteps").asLong()).isEqualTo(30);
    assertThat(view(at(60_000)).goodput().orElseThrow().redoing()).hasMillis(2_900);
  }

  /** It went up and down while one worker after the other came up. */
  @Test
  void nothing_is_of_use_before_all_run_for_the_first_time() {
    var first = new RunProgress();
    first.expect("JobSet", "default", "t");
    for (var pod :
        List.of(
            pod("a", 0, RUNNING, life(at(1_000), at(1_100))),
            pod("b", 0, PENDING, ProgramLife.UNSEEN))) {
      first.changed(pod, at(2_000));
    }

    assertThat(RunViews.of(first, 3, BEGAN, at(4_000), _ -> List.of()).goodput())
        .hasValueSatisfying(goodput -> assertThat(goodput.useful()).isZero());
  }

  private void assertUnderWay(Instant now) {
    var view = view(now);
    assertThat(view.restarts()).isEmpty();
    assertThat(view.restart())
        .hasValueSatisfying(one -> {
          assertThat(one.stage()).isEqualTo(RunView.Stage.MADE_ANEW);
          assertThat(one.since()).isEqualTo(at(9_000));
        });
    assertThat(report(now).path("restarts").path(0).path("downSeconds").asDouble())
        .isEqualTo(Duration.between(at(9_000), now).toMillis() / 1e3);
  }

  private RunView view(Instant now) {
    return RunViews.of(progress, 3, BEGAN, now, _ -> List.of());
  }

  private ObjectNode report(Instant now) {
    return RunReport.tree(
        progress,
        new RunReport.Circumstances("running", BEGAN, now, List.of(), List.of(), _ -> List.of()));
  }

  private static ProgramLife life(Instant started, @Nullable Instant output) {
    return new ProgramLife(started, output, output, null);
  }

  private static ProgramLife life(Instant started, Instant output, ProgressStep step) {
    return new ProgramLife(started, output, output, step);
  }

  private void jobSet(int restarts, Instant now) {
    var jobSet = Wire.object().put("kind", "JobSet");
    jobSet.putObject("metadata").put("namespace", "default").put("name", "t").put("uid", "t");
    jobSet.putObject("status").put("restarts", restarts);
    progress.changed(jobSet, now);
  }

  private void pod(String worker, int generation, String status, ProgramLife life, Instant now) {
    progress.changed(pod(worker, generation, status, life), now);
  }

  private static ObjectNode pod(String worker, int generation, String status, ProgramLife life) {
    String name = worker + "-" + generation;
    var pod = Wire.object().put("kind", "Pod");
    var metadata = pod.putObject("metadata");
    metadata.put("namespace", "default").put("name", name).put("uid", name);
    metadata
        .putObject("labels")
        .put("jobset.sigs.k8s.io/jobset-name", "t")
        .put("jobset.sigs.k8s.io/restart-attempt", String.valueOf(generation));
    metadata.set(
        "annotations", Wire.toTree(RestartHistories.annotations(RestartHistory.NONE.with(life))));
    pod.putObject("spec").put("hostname", worker);
    pod.set("status", Wire.tree(status));
    return pod;
  }

  private static Instant at(long millis) {
    return BEGAN.plusMillis(millis);
  }
}
