package dev.regroup.control.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import dev.regroup.api.job.JobReader;
import dev.regroup.control.SeenFigures;
import dev.regroup.rules.job.JobBackOff;
import dev.regroup.rules.job.JobPlan;
import dev.regroup.rules.job.JobPod;
import dev.regroup.rules.job.JobSpec;
import dev.regroup.rules.job.JobStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** The Job controller counts what it has done (JB-97). */
class JobFiguresTest {

  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final SeenFigures seen = new SeenFigures();
  private final JobFigures figures = new JobFigures(seen);

  @Test
  void jb97_what_a_written_status_made_true_is_counted_once() {
    var spec = spec("\"completionMode\":\"Indexed\",\"completions\":4,\"backoffLimitPerIndex\":1,");
    var before = status("{\"succeeded\":1,\"completedIndexes\":\"0\",\"failedIndexes\":\"\"}");
    var after =
        status(
            """
            {"succeeded":3,"failed":2,"completedIndexes":"0-2","failedIndexes":"3","conditions":[
             {"type":"Failed","status":"True","reason":"FailedIndexes"}]}
            """);

    figures.written(spec, before, after);
    figures.written(spec, after, after);

    assertThat(seen.counters("job_controller_"))
        .isEqualTo(
            Map.of(
                "job_controller_job_pods_finished_total [Indexed, succeeded]", 2.0,
                "job_controller_job_pods_finished_total [Indexed, failed]", 2.0,
                "job_controller_job_finished_indexes_total [succeeded, perIndex]", 2.0,
                "job_controller_job_finished_indexes_total [failed, perIndex]", 1.0,
                "job_controller_jobs_finished_total [Indexed, failed, FailedIndexes]", 1.0));
  }

  @Test
  void jb97_a_look_is_counted_by_what_it_did() {
    var spec = spec("");
    var create = new JobPlan.Effect.CreatePods(List.of());
    var untrack = new JobPlan.Effect.RemoveFinalizers(List.of());
    var delete = new JobPlan.Effect.DeletePods(List.of(), JobPlan.Finalizer.KEEP);
    var write = new JobPlan.Effect.WriteStatus(JobStatus.EMPTY);

    figures.synced(spec, plan(), JobFigures.Result.SUCCESS, Duration.ZERO);
    figures.synced(spec, plan(write, untrack), JobFigures.Result.SUCCESS, Duration.ZERO);
    figures.synced(spec, plan(create, write), JobFigures.Result.ERROR, Duration.ZERO);
    figures.synced(spec, plan(write, delete), JobFigures.Result.SUCCESS, Duration.ZERO);

    assertThat(seen.counters("job_controller_job_syncs_total"))
        .containsOnlyKeys(
            "job_controller_job_syncs_total [NonIndexed, success, reconciling]",
            "job_controller_job_syncs_total [NonIndexed, success, tracking]",
            "job_controller_job_syncs_total [NonIndexed, error, pods_created]",
            "job_controller_job_syncs_total [NonIndexed, success, pods_deleted]");
  }

  @Test
  void jb97_a_new_pod_is_counted_by_what_it_replaces() {
    var usual = spec("");
    var patient = spec("\"podReplacementPolicy\":\"Failed\",");

    figures.created(usual, JobStatus.EMPTY, JobFigures.Result.SUCCESS);
    figures.created(usual, status("{\"terminating\":1}"), JobFigures.Result.SUCCESS);
    figures.created(patient, status("{\"failed\":1}"), JobFigures.Result.SUCCESS);
    figures.created(usual, status("{\"failed\":1}"), JobFigures.Result.ERROR);

    assertThat(seen.counters("job_controller_job_pods_creation_total"))
        .isEqualTo(
            Map.of(
                "job_controller_job_pods_creation_total [new, succeeded]",
                1.0,
                "job_controller_job_pods_creation_total [recreate_terminating_or_failed,"
                    + " succeeded]",
                1.0,
                "job_controller_job_pods_creation_total [recreate_failed, succeeded]",
                1.0,
                "job_controller_job_pods_creation_total [recreate_terminating_or_failed, failed]",
                1.0));
  }

  @Test
  void jb97_a_failed_pod_is_counted_by_the_rule_that_judged_it() {
    var job =
        """
        {"metadata":{"name":"j","namespace":"ns","uid":"u"},"spec":{"podFailurePolicy":{"rules":[
          {"action":"Ignore","onExitCodes":{"operator":"In","values":[42]}}]},
         "template":{"spec":{"restartPolicy":"Never"}}},"status":%s}
        """;
    var pods =
        List.of(
            pod(JobPod.Phase.FAILED, true, 42),
            pod(JobPod.Phase.FAILED, true, 1), // no rule knows it
            pod(JobPod.Phase.SUCCEEDED, true, 0));

    figures.judged(JobView.read(Wire.tree(job.formatted("{}"))), pods);
    var finished = "{\"conditions\":[{\"type\":\"Complete\",\"status\":\"True\"}]}";
    figures.judged(JobView.read(Wire.tree(job.formatted(finished))), pods);

    assertThat(seen.counters("job_controller_"))
        .isEqualTo(
            Map.of("job_controller_pod_failures_handled_by_failure_policy_total [Ignore]", 1.0));
  }

  @Test
  void jb97_a_pod_that_has_ended_is_held_until_its_finalizer_goes() {
    var running = Optional.of(pod(JobPod.Phase.RUNNING, true, 0));
    var ended = Optional.of(pod(JobPod.Phase.FAILED, true, 1));
    var released = Optional.of(pod(JobPod.Phase.FAILED, false, 1));

    figures.changed(Optional.empty(), running);
    figures.changed(running, ended);
    figures.changed(ended, ended);
    figures.changed(ended, released);
    figures.changed(released, Optional.empty());

    assertThat(seen.counters("job_controller_"))
        .isEqualTo(
            Map.of(
                "job_controller_terminated_pods_tracking_finalizer_total [add]", 1.0,
                "job_controller_terminated_pods_tracking_finalizer_total [delete]", 1.0));
  }

  private static JobPlan plan(JobPlan.Effect... effects) {
    return new JobPlan(List.of(effects), JobStatus.EMPTY, List.of(), JobBackOff.NONE, Instant.MAX);
  }

  private static JobSpec spec(String fields) {
    return JobReader.spec(
            Wire.tree(
                "{\"spec\":{" + fields + "\"template\":{\"spec\":{\"restartPolicy\":\"Never\"}}}}"))
        .orElseThrow();
  }

  private static JobStatus status(String json) {
    return JobReader.status(
        Wire.tree(
            "{\"spec\":{\"completionMode\":\"Indexed\",\"completions\":4},\"status\":"
                + json
                + "}"));
  }

  private static JobPod pod(JobPod.Phase phase, boolean tracked, int code) {
    return new JobPod(
        "u",
        "p",
        OptionalInt.empty(),
        phase,
        false,
        tracked,
        false,
        null,
        true,
        JobPod.Restarts.NONE,
        NOW,
        NOW,
        List.of(new JobPod.Container("c", OptionalInt.of(code))),
        List.of(),
        0,
        0,
        true);
  }
}
