package dev.regroup.node.pod;

import dev.regroup.client.metric.MetricFamily;
import dev.regroup.client.metric.Metrics;
import dev.regroup.rules.Stages.Moment;
import dev.regroup.rules.pod.PodSpec.PodId;
import dev.regroup.rules.pod.plan.StartCause;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts starts of containers that ran before by their cause (OBS-06), and restarts in place with
 * the time of their stages (OBS-04, OBS-07), from the moments of each pod's newest restart. Pods
 * are no labels.
 */
public final class RestartFigures implements RestartObserver {

  static final MetricFamily AGAIN =
      MetricFamily.counter(
          "container_restarts_total", "Starts of containers that ran before", "cause");

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

  private final Metrics metrics;
  private final RestartObserver next;
  private final Map<PodId, Cycle> open = new HashMap<>(); // guarded by this
  private final Map<PodId, Cycle> running = new HashMap<>(); // guarded by this; not yet back

  /** A restart of all containers under way. */
  private static final class Cycle {
    final int epoch;
    final Map<Moment, Instant> moments = new EnumMap<>(Moment.class);
    boolean started;

    Cycle(int epoch) {
      this.epoch = epoch;
    }

    /** The exit, the last sign of one that hung, or the decision where nothing exited. */
    @Nullable Instant began() {
      var exit = moments.getOrDefault(Moment.EXIT_SEEN, moments.get(Moment.NOTICED));
      return moments.getOrDefault(Moment.LAST_SIGN, exit);
    }
  }

  /** Tells the next observer too. */
  public RestartFigures(Metrics metrics, RestartObserver next) {
    this.metrics = metrics;
    this.next = next;
    metrics.gauge(IN_PROGRESS, this::inProgress);
  }

  @Override
  public void startedAgain(PodId pod, StartCause cause, Instant at) {
    next.startedAgain(pod, cause, at);
    metrics.count(AGAIN, cause.wireName());
    firstStart(pod, at);
  }

  @Override
  public void reached(PodId pod, int epoch, Moment moment, Instant at) {
    next.reached(pod, epoch, moment, at);
    if (epoch > 0) {
      note(pod, epoch, moment, at);
    }
  }

  @Override
  public void left(PodId pod) {
    next.left(pod);
    if (forget(pod)) {
      metrics.count(ENDED, "abandoned");
    }
  }

  private synchronized void firstStart(PodId pod, Instant at) {
    var cycle = open.get(pod);
    if (cycle == null || cycle.started || !cycle.moments.containsKey(Moment.REMOVED)) {
      return; // a container on its own
    }
    cycle.started = true;
    var ready = cycle.moments.getOrDefault(Moment.AT_BARRIER, at);
    stage("backoff", cycle.moments.get(Moment.REMOVED), ready);
    stage("exit_to_first_start", cycle.began(), at);
  }

  private synchronized void note(PodId pod, int epoch, Moment moment, Instant at) {
    if (moment == Moment.FIRST_OUTPUT || moment == Moment.CAUGHT_UP) {
      back(pod, moment, at);
      return;
    }
    running.remove(pod);
    var cycle =
        open.compute(pod, (_, one) -> one != null && one.epoch == epoch ? one : new Cycle(epoch));
    var moments = cycle.moments;
    moments.put(moment, at);
    switch (moment) {
      case LAST_SIGN, EXIT_SEEN, STOPPED, AT_BARRIER, FIRST_OUTPUT, CAUGHT_UP -> {}
      case FOUND_HANGING -> stage("hang_to_verdict", moments.get(Moment.LAST_SIGN), at);
      case NOTICED -> stage("exit_to_condition", moments.get(Moment.EXIT_SEEN), at);
      case REMOVED -> stage("termination", moments.get(Moment.NOTICED), at);
      case LIFTED -> stage("barrier", moments.get(Moment.AT_BARRIER), at);
      case RUNNING -> {
        stage("exit_to_all_started", cycle.began(), at);
        if (moments.containsKey(Moment.NOTICED)) { // else it began before this node did
          metrics.count(ENDED, "completed");
          running.put(pod, cycle);
        }
        open.remove(pod);
      }
    }
  }

  /** The program works again. */
  private void back(PodId pod, Moment moment, Instant at) {
    var cycle = running.get(pod);
    if (cycle != null) {
      if (moment == Moment.FIRST_OUTPUT) {
        stage("start_to_first_output", cycle.moments.get(Moment.RUNNING), at);
        stage("exit_to_first_output", cycle.began(), at);
      } else {
        stage("exit_to_same_step", cycle.began(), at);
        running.remove(pod);
      }
    }
  }

  private void stage(String phase, @Nullable Instant from, Instant to) {
    if (from != null) {
      metrics.took(STAGES, Duration.between(from, to), phase);
    }
  }

  private synchronized boolean forget(PodId pod) {
    running.remove(pod);
    return open.remove(pod) != null;
  }

  synchronized double inProgress() {
    return open.size();
  }
}
