package dev.regroup.api.jobset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import dev.regroup.api.jobset.JobSetStatusWriter.GroupFields;
import dev.regroup.rules.group.Barrier;
import dev.regroup.rules.group.GroupStatus;
import dev.regroup.rules.group.InPlaceRestart;
import dev.regroup.rules.group.Sign;
import dev.regroup.rules.jobset.JobSetStatus;
import dev.regroup.rules.progress.KeptCost;
import dev.regroup.rules.progress.RestartCost.Measure;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JobSetStatusTest {

  private static final Instant NOON = Instant.parse("2026-01-02T12:00:00Z");
  private static final Instant LATER = Instant.parse("2026-01-02T12:00:00.123Z");

  private static final JobSetStatus STATUS =
      new JobSetStatus(
          List.of(new JobSetStatus.Condition("Failed", true, "r", "m", NOON)),
          2,
          1,
          "Failed",
          List.of(
              new JobSetStatus.ReplicatedJobStatus(
                  "w", 1, 2, 3, 4, 5, List.of(0, 1), List.of(0, 1)),
              new JobSetStatus.ReplicatedJobStatus("v", 0, 0, 0, 0, 0, List.of(), List.of())),
          new GroupStatus(
              new Barrier(OptionalInt.of(3), OptionalInt.of(2)),
              OptionalInt.of(1),
              1,
              List.of(
                  new InPlaceRestart(
                      2,
                      NOON,
                      LATER,
                      Sign.of(Sign.Kind.WORKER_EXITED, "p", "c", 7),
                      true,
                      new KeptCost(NOON, LATER, LATER, Measure.STEPS, 180, 150)),
                  new InPlaceRestart(3, LATER, null, Sign.of(Sign.Kind.REQUESTED, ""), false)),
              Optional.of(new GroupStatus.ServedRequest("id", LATER))));

  @Test
  @DisplayName("JS-28a to JS-28m, JS-151: a status reads back as it was written, by either name")
  void a_status_reads_back() {
    var wire = JobSetStatusWriter.patch("7", STATUS, GroupFields.WRITE);

    assertThat(wire.at("/metadata/resourceVersion").asText()).isEqualTo("7");
    assertThat(JobSetStatusReader.read(wire.path("status"))).isEqualTo(STATUS);
    assertThat(wire.at("/status/inPlaceRestarts/0/attempt").asInt()).isEqualTo(3); // JS-28l
    wire.withObject("/status")
        .without(List.of("currentInPlaceRestartAttempt", "previousInPlaceRestartAttempt"));
    assertThat(JobSetStatusReader.read(wire.path("status"))).isEqualTo(STATUS);
  }

  @Test
  @DisplayName("JS-28b, JS-28c, JS-28d: an empty status reads back, and clears what was there")
  void an_empty_status_reads_back() {
    var wire = JobSetStatusWriter.patch("7", JobSetStatus.EMPTY, GroupFields.LEAVE_OUT);

    assertThat(JobSetStatusReader.read(wire.path("status"))).isEqualTo(JobSetStatus.EMPTY);
    assertThat(wire.path("status"))
        .isEqualTo(
            Wire.tree(
                """
                {"restarts":0,"restartsCountTowardsMax":null,"terminalState":null,
                 "replicatedJobsStatus":[]}
                """));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"a\":null}",
        "{\"a\":7}",
        "{\"a\":{\"conditions\":{},\"restarts\":\"1\",\"terminalState\":7}}",
        "{\"a\":{\"conditions\":[null],\"replicatedJobsStatus\":[7],\"inPlaceRestarts\":[[]]}}",
        "{\"a\":{\"lastRestartRequest\":[],\"syncedEpoch\":-1,\"restarts\":99999999999}}"
      })
  @DisplayName("JS-28a to JS-28m: of an odd status only what can be read counts")
  void an_odd_status_is_empty(String wrapped) {
    assertThat(JobSetStatusReader.read(Wire.tree(wrapped).path("a"))).isEqualTo(JobSetStatus.EMPTY);
  }

  @Test
  @DisplayName("JS-28l: a restart for a reason of a later version keeps its line")
  void a_restart_is_read_whatever_its_reason() {
    var status = Wire.tree("{\"inPlaceRestarts\":[{\"attempt\":4,\"reason\":\"Later\"}]}");

    assertThat(JobSetStatusReader.read(status).group().restarts())
        .containsExactly(
            new InPlaceRestart(
                4, Instant.EPOCH, null, Sign.of(Sign.Kind.CAME_BACK_AHEAD, ""), false));
  }
}
