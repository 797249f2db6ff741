package dev.regroup.api.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import dev.regroup.rules.jobset.ChildJob;
import java.time.Instant;
import java.util.OptionalInt;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChildJobReaderTest {

  @Test
  @DisplayName("JS-75, JS-77: a Job is read with its place in the JobSet")
  void a_child_is_read() {
    var child =
        ChildJobReader.read(
            Wire.tree(
                """
                {"metadata":{"name":"a-w-1","uid":"u","deletionTimestamp":"x","labels":{
                   "jobset.sigs.k8s.io/replicatedjob-name":"w","jobset.sigs.k8s.io/job-index":"1",
                   "jobset.sigs.k8s.io/restart-attempt":"2",
                   "jobset.sigs.k8s.io/job-restart-attempt":"x"}},
                 "spec":{"parallelism":3,"completions":4},
                 "status":{"startTime":"2026-01-01T00:00:00Z","active":5,"ready":6,"succeeded":7}}
                """));

    assertThat(child)
        .isEqualTo(
            new ChildJob(
                "a-w-1",
                "u",
                "w",
                OptionalInt.of(1),
                OptionalInt.of(2),
                OptionalInt.empty(),
                true,
                false,
                true,
                new ChildJob.End.None(),
                5,
                6,
                7,
                3,
                OptionalInt.of(4)));
  }

  @ParameterizedTest
  @CsvSource({
    "Complete, True, COMPLETE",
    "Complete, False, NONE",
    "Failed, True, FAILED",
    "Failed, Unknown, NONE",
    "FailureTarget, True, NONE",
    "SuccessCriteriaMet, True, NONE"
  })
  @DisplayName("JB-42, JS-77: only the last condition of a Job is its end")
  void an_end_is_told_by_a_condition(String type, String status, String end) {
    var job =
        Wire.tree(
            """
            {"status":{"conditions":[{"type":"%s","status":"%s","reason":"r","message":"m"}]}}
            """
                .formatted(type, status));

    assertThat(ChildJobReader.read(job).end())
        .isEqualTo(
            switch (end) {
              case "COMPLETE" -> new ChildJob.End.Complete();
              case "FAILED" -> new ChildJob.End.Failed("r", "m", Instant.EPOCH);
              default -> new ChildJob.End.None();
            });
  }
}
