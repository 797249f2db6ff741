package dev.regroup.node.pod;

import dev.regroup.client.metric.MetricFamily;
import dev.regroup.client.metric.Metrics;
import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.pod.PodSpec.PodId;
import dev.regroup.rules.pod.RestartCycle.Cause;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts restarts in place and how long their stages take (OBS-04, OBS-07), from the moments of
 * each pod's newest restart. Pods are no labels.
 */
public final class RestartFigures implements RestartObserver {

  static final MetricFamily BEGUN =
      MetricFamily.counter(
          "inplace_pod_restarts_begun_total",
          "Restarts of all containers that began, by what asked for them",
          "cause");

  static final MetricFamily ENDED =
      MetricFamily.counter(
          "inplace_pod_restarts_total", "Restarts of all containers that ended", "result");

  static final MetricFamily STAGES =
      MetricFamily.histogram(
          "inplace_pod_restart_duration_seconds",
          "Time of the stages of a restart of all containers",
          "phase");

  static final MetricFamily IN_PROGRESS =
      MetricFamily.gauge(
          "inplace_pod_restarts_in_progress", "Restarts of all containers under way");

  /** A restart that is never finished, because its pod went, is forgotten for newer ones. */
  private static final int MOST = 10_000;

  private final Metrics metrics;
  private final RestartObserver next;
  private final Map<String, Map<Moment, Instant>> open = // by UID of the pod; guarded by this
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Map<Moment, Instant>> eldest) {
          return size() > MOST;
        }
      };

  /** Tells the next observer too. */
  public RestartFigures(Metrics metrics, RestartObserver next) {
    this.metrics = metrics;
    this.next = next;
    metrics.gauge(IN_PROGRESS, this::inProgress);
  }

  @Override
  public void began(PodId pod, int epoch, Cause cause) {
    next.began(pod, epoch, cause);
    forget(pod.uid()); // one that never ended
    metrics.count(
        BEGUN,
        switch (cause) {
          case Cause.None() -> "unexpected";
          case Cause.Exited _ -> "restart_all";
          case Cause.GroupOrder _ -> "group";
          case Cause.Requested _ -> "request";
        });
  }

  @Override
  public void reached(PodId pod, int epoch, Moment moment, Instant at) {
    next.reached(pod, epoch, moment, at);
    if (epoch > 0) {
      note(pod.uid(), moment, at);
    }
  }

  private synchronized void note(String pod, Moment moment, Instant at) {
    var moments = open.computeIfAbsent(pod, _ -> new EnumMap<>(Moment.class));
    moments.put(moment, at);
    switch (moment) {
      case EXIT_SEEN, STOPPED, AT_BARRIER -> {}
      case NOTICED -> stage("exit_to_condition", moments, Moment.EXIT_SEEN, at);
      case REMOVED -> stage("termination", moments, Moment.NOTICED, at);
      case LIFTED -> stage("barrier", moments, Moment.AT_BARRIER, at);
      case RUNNING -> {
        stage(
            "exit_to_all_started",
            moments,
            moments.containsKey(Moment.EXIT_SEEN) ? Moment.EXIT_SEEN : Moment.NOTICED,
            at);
        if (moments.containsKey(Moment.NOTICED)) {
          metrics.count(ENDED, "completed");
        }
        open.remove(pod);
      }
    }
  }

  private void stage(String phase, Map<Moment, Instant> moments, Moment from, Instant to) {
    var began = moments.get(from);
    if (began != null) {
      metrics.took(STAGES, Duration.between(began, to), phase);
    }
  }

  private synchronized void forget(String pod) {
    open.remove(pod);
  }

  synchronized double inProgress() {
    return open.size();
  }
}
