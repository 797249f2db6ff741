package dev.regroup.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.cli.RestartLog.PodRestart;
import dev.regroup.node.RestartObserver.Moment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RunSummaryTest {

  @Test
  void restarts_that_overlap_are_one_and_their_stages_follow_the_last_pod() {
    var source =
        new PodRestart(
            "a",
            Map.of(
                Moment.EXITED, at(0),
                Moment.TRIGGERED, at(10),
                Moment.STOPPED, at(20),
                Moment.REMOVED, at(30),
                Moment.AT_BARRIER, at(100),
                Moment.LIFTED, at(300),
                Moment.RUNNING, at(310)));
    var victim =
        new PodRestart(
            "b",
            Map.of(
                Moment.TRIGGERED, at(40),
                Moment.STOPPED, at(60),
                Moment.REMOVED, at(70),
                Moment.AT_BARRIER, at(250),
                Moment.LIFTED, at(300),
                Moment.RUNNING, at(330)));
    var later = new PodRestart("a", Map.of(Moment.TRIGGERED, at(900), Moment.RUNNING, at(950)));

    String text =
        RunSummary.text(
            Duration.ofMillis(1234),
            RunProgress.Result.SUCCEEDED,
            List.of(source, victim, later),
            Map.of("a", "pod-a", "b", "pod-b"));

    assertThat(text)
        .isEqualTo(
            """
            succeeded in 1.23s, 2 restarts
            restart 1: 0.33s lost, 2 pods, slowest pod-b
              until noticed 0.04s, stopped 0.02s, removed 0.01s, at the barrier 0.18s, lifted 0.05s,\
             running 0.03s
            restart 2: 0.05s lost, pod-a
              until running 0.05s\
            """);
  }

  private static Instant at(long millis) {
    return Instant.EPOCH.plusMillis(millis);
  }
}
