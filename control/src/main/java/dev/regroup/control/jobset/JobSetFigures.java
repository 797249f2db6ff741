package dev.regroup.control.jobset;

import dev.regroup.client.metric.MetricFamily;
import dev.regroup.client.metric.Metrics;
import dev.regroup.rules.group.InPlaceRestart;
import dev.regroup.rules.jobset.JobSetSpec;
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

  private final Metrics metrics;

  JobSetFigures(Metrics metrics) {
    this.metrics = metrics;
  }

  void written(JobSetSpec spec, JobSetStatus before, JobSetStatus after) {
    if (!after.terminalState().equals(before.terminalState())) {
      switch (after.terminalState()) {
        case "Failed" -> metrics.count(FAILED, spec.name(), spec.namespace());
        case "Completed" -> metrics.count(COMPLETED, spec.name(), spec.namespace());
        default -> {}
      }
    }
    Map<Integer, InPlaceRestart> known =
        before.group().restarts().stream()
            .collect(Collectors.toMap(InPlaceRestart::attempt, one -> one, (_, last) -> last));
    for (var restart : after.group().restarts()) {
      restarted(known.get(restart.attempt()), restart);
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

  private void stage(String phase, @Nullable Instant from, @Nullable Instant to) {
    if (from != null && to != null) {
      metrics.took(STAGES, Duration.between(from, to), phase);
    }
  }
}
