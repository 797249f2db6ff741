package dev.regroup.control.jobset;

import dev.regroup.client.ObjectKey;
import dev.regroup.client.metric.MetricFamily;
import dev.regroup.client.metric.Metrics;
import dev.regroup.rules.group.InPlaceRestart;
import dev.regroup.rules.jobset.JobSetStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Counts what a status write has made true, once it has been written: ends of JobSets (JS-97a), and
 * group restarts with the time of their stages (JS-97b). Reads it off the two statuses.
 */
final class JobSetFigures {

  static final MetricFamily FAILED =
      MetricFamily.counter(
          "jobset_failed_total", "JobSets that failed", "jobset_name", "namespace");

  static final MetricFamily COMPLETED =
      MetricFamily.counter(
          "jobset_completed_total", "JobSets that completed", "jobset_name", "namespace");

  static final MetricFamily RESTARTS =
      MetricFamily.counter(
          "jobset_in_place_restarts_total", "Group restarts that began, by their reason", "cause");

  static final MetricFamily STAGES =
      MetricFamily.histogram(
          "jobset_in_place_restart_duration_seconds",
          "Time of the stages of group restarts",
          "phase");

  static final MetricFamily AT_BARRIER =
      MetricFamily.gauge(
          "jobset_in_place_restart_pods_at_barrier",
          "Pods that wait for the rest of their group before they run");

  private final Metrics metrics;

  JobSetFigures(Metrics metrics) {
    this.metrics = metrics;
  }

  void written(ObjectKey jobSet, JobSetStatus before, JobSetStatus after) {
    if (!after.terminalState().equals(before.terminalState())) {
      switch (after.terminalState()) {
        case "Failed" -> metrics.count(FAILED, jobSet.name(), jobSet.namespace());
        case "Completed" -> metrics.count(COMPLETED, jobSet.name(), jobSet.namespace());
        default -> {}
      }
    }
    Map<Integer, InPlaceRestart> known =
        before.group().restarts().stream()
            .collect(Collectors.toMap(InPlaceRestart::attempt, one -> one, (_, last) -> last));
    for (var restart : after.group().restarts()) {
      restarted(known.get(restart.attempt()), restart);
    }
    if (before.is(JobSetStatus.Type.RESTARTING) && !after.is(JobSetStatus.Type.RESTARTING)) {
      ready(after);
    }
  }

  private void restarted(@Nullable InPlaceRestart before, InPlaceRestart after) {
    if (before == null) {
      metrics.count(RESTARTS, after.cause().kind().wireName());
      stage("failure_to_order", after.cause().at(), after.startedAt());
    }
    if (before == null || before.liftedAt() == null) {
      stage("order_to_lift", after.startedAt(), after.liftedAt());
    }
  }

  /** The group runs again, if it was a restart in place. */
  private void ready(JobSetStatus status) {
    var restarts = status.group().restarts();
    if (!restarts.isEmpty()) {
      var at =
          status
              .condition(JobSetStatus.Type.RESTARTING)
              .map(JobSetStatus.Condition::changedAt)
              .orElse(null);
      stage("lift_to_ready", restarts.getLast().liftedAt(), at);
    }
  }

  private void stage(String phase, @Nullable Instant from, @Nullable Instant to) {
    if (from != null && to != null) {
      metrics.took(STAGES, Duration.between(from, to), phase);
    }
  }
}
