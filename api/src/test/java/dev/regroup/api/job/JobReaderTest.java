package dev.regroup.api.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.Wire;
import dev.regroup.rules.job.FailurePolicy;
import dev.regroup.rules.job.IndexSet;
import dev.regroup.rules.job.JobPod;
import dev.regroup.rules.job.JobSpec;
import dev.regroup.rules.job.JobStatus;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JobReaderTest {

  private static final Instant NOON = Instant.parse("2026-01-02T12:00:00Z");

  private static final JobSpec PLAIN =
      new JobSpec(
          "n",
          "a",
          1,
          OptionalInt.empty(),
          JobSpec.Completion.NON_INDEXED,
          6,
          OptionalInt.empty(),
          OptionalInt.empty(),
          Optional.empty(),
          List.of(),
          JobSpec.Replace.TERMINATING_OR_FAILED,
          OptionalLong.empty(),
          JobSpec.Wish.RUN,
          JobSpec.PodRestart.NEVER,
          JobSpec.Kin.ALONE);

  private static ObjectNode job(String spec) {
    return Wire.tree("{\"metadata\":{\"name\":\"a\",\"namespace\":\"n\"},\"spec\":" + spec + "}");
  }

  @Test
  @DisplayName("JB-1 to JB-10, JB-12, JB-15: a spec is read with everything its plan asks for")
  void a_spec_is_read() {
    var spec =
        JobReader.spec(
            job(
                """
                {"completionMode":"Indexed","completions":4,"parallelism":2,"backoffLimit":3,
                 "backoffLimitPerIndex":1,"maxFailedIndexes":2,"activeDeadlineSeconds":9,
                 "suspend":true,"podReplacementPolicy":"Failed",
                 "podFailurePolicy":{"rules":[
                   {"action":"FailJob","onExitCodes":{"operator":"NotIn","containerName":"w",
                     "values":[3,4]}},
                   {"action":"Ignore","onPodConditions":[{"type":"DisruptionTarget"},
                     {"type":"X","status":"False"}]},
                   {"action":"Later"}]},
                 "successPolicy":{"rules":[{"succeededIndexes":"0-1,9","succeededCount":1},{}]},
                 "template":{"metadata":{"annotations":{
                   "jobset.sigs.k8s.io/inject-in-place-restart-agent":"node"}},
                   "spec":{"restartPolicy":"OnFailure"}}}
                """));

    assertThat(spec)
        .contains(
            new JobSpec(
                "n",
                "a",
                2,
                OptionalInt.of(4),
                JobSpec.Completion.INDEXED,
                3,
                OptionalInt.of(1),
                OptionalInt.of(2),
                Optional.of(
                    new FailurePolicy(
                        List.of(
                            new FailurePolicy.Rule(
                                FailurePolicy.Action.FAIL_JOB,
                                "w",
                                FailurePolicy.Operator.NOT_IN,
                                List.of(3, 4),
                                List.of()),
                            new FailurePolicy.Rule(
                                FailurePolicy.Action.IGNORE,
                                null,
                                null,
                                List.of(),
                                List.of(
                                    new JobPod.Condition("DisruptionTarget", "True"),
                                    new JobPod.Condition("X", "False"))),
                            new FailurePolicy.Rule(
                                FailurePolicy.Action.UNKNOWN, null, null, List.of(), List.of())))),
                List.of(
                    new JobSpec.SuccessRule(Optional.of(IndexSet.of(0, 1)), OptionalInt.of(1)),
                    new JobSpec.SuccessRule(Optional.empty(), OptionalInt.empty())),
                JobSpec.Replace.FAILED,
                OptionalLong.of(9),
                JobSpec.Wish.SUSPEND,
                JobSpec.PodRestart.ON_FAILURE,
                JobSpec.Kin.IN_PLACE_JOBSET));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "null",
        "7",
        "[]",
        "{\"completions\":null,\"parallelism\":\"2\",\"backoffLimit\":{}}",
        "{\"completions\":99999999999,\"parallelism\":1.5,\"suspend\":7,\"completionMode\":[]}",
        "{\"podFailurePolicy\":[],\"successPolicy\":null,\"podReplacementPolicy\":\"Later\"}",
        "{\"template\":\"x\",\"activeDeadlineSeconds\":\"9\",\"successPolicy\":{\"rules\":7}}"
      })
  @DisplayName(
      "JB-1 to JB-10, JB-12, JB-15: what is absent, null, of another type or unknown is absent")
  void odd_fields_are_absent(String spec) {
    assertThat(JobReader.spec(job(spec))).contains(PLAIN);
  }

  @Test
  @DisplayName("JB-42: a Job with a completion mode of a later version has no plan")
  void an_unknown_completion_mode_has_no_spec() {
    assertThat(JobReader.spec(job("{\"completionMode\":\"Later\"}"))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "{}, false",
    "{\"managedBy\":null}, false",
    "{\"managedBy\":7}, false",
    "{\"managedBy\":\"kubernetes.io/job-controller\"}, false",
    "{\"managedBy\":\"example.com/other\"}, true"
  })
  @DisplayName("JB-92: only a foreign manager takes a Job away")
  void a_manager_is_foreign_or_not(String spec, boolean elsewhere) {
    assertThat(JobReader.foreignManager(job(spec)).isPresent()).isEqualTo(elsewhere);
  }

  @Test
  @DisplayName("JB-60, JB-61: a status reads back as it was written")
  void a_status_reads_back() {
    var status =
        new JobStatus(
            2,
            1,
            3,
            4,
            5,
            IndexSet.of(0, 2, 3, 4),
            Optional.of(IndexSet.of(1)),
            NOON,
            NOON.plusSeconds(9),
            List.of(
                new JobStatus.Condition("FailureTarget", true, "r", "m", NOON, NOON),
                new JobStatus.Condition("Suspended", false, "", "", null, null)),
            List.of("a"),
            List.of("b", "c"));

    assertThat(readBack(status)).isEqualTo(status);
    assertThat(readBack(JobStatus.EMPTY)).isEqualTo(JobStatus.EMPTY);
  }

  private static JobStatus readBack(JobStatus status) {
    var job = job("{\"completionMode\":\"Indexed\",\"completions\":5}");
    var patch = JobStatusWriter.patch("7", JobReader.spec(job).orElseThrow(), status);
    assertThat(patch.at("/metadata/resourceVersion").asText()).isEqualTo("7");
    return JobReader.status(job.set("status", patch.path("status")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "7",
        "{\"active\":\"1\",\"ready\":null,\"failed\":1e300,\"succeeded\":99999999999}",
        "{\"completedIndexes\":7,\"failedIndexes\":null,\"startTime\":\"yesterday\"}",
        "{\"completionTime\":\"+1000000000-12-31T23:59:59Z\",\"conditions\":{\"a\":1}}",
        "{\"conditions\":[null,7],\"uncountedTerminatedPods\":[\"a\"]}",
        "{\"completedIndexes\":\"9-5,-3,x,7-\"}"
      })
  @DisplayName("JB-60: of an odd status only what can be read counts")
  void an_odd_status_is_empty(String status) {
    var job =
        Wire.tree(
            "{\"spec\":{\"completionMode\":\"Indexed\",\"completions\":5},\"status\":"
                + status
                + "}");

    assertThat(JobReader.status(job)).isEqualTo(JobStatus.EMPTY);
  }
}
