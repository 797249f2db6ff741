package dev.regroup.server.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What {@code kubectl get jobset} shows (JS-2). */
class JobSetRowsTest {

  private static Object restarts(String status) {
    var jobSet =
        Wire.tree(
            """
            {"metadata":{"name":"a","creationTimestamp":"2026-01-01T00:00:00Z"},"spec":{},
             "status":{%s}}
            """
                .formatted(status));
    return String.valueOf(
        WorkloadTables.JOB_SETS.cells(jobSet, Instant.parse("2026-01-01T00:01:00Z")).get(2));
  }

  @Test
  void restarts_are_those_of_all_jobs_and_those_in_place() {
    assertThat(restarts("\"restarts\":2")).isEqualTo("2");
    assertThat(restarts("")).isEqualTo("null");
    assertThat(
            restarts(
                "\"restarts\":1,\"inPlaceRestartsCountTowardsMax\":3,"
                    + "\"uncountedInPlaceRestartAttempts\":1"))
        .isEqualTo("5");
  }
}
