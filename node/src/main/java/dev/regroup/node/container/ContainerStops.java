package dev.regroup.node.container;

import dev.regroup.client.Backoff;
import dev.regroup.node.pod.EffectFailure;
import dev.regroup.node.pod.PodThreads;
import dev.regroup.node.pod.Pokes;
import dev.regroup.rules.pod.SeenContainer.StopProgress;
import dev.regroup.rules.pod.SeenContainer.StopProgress.Step;
import dev.regroup.rules.pod.StopReason;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.ContainerRuntime;
import dev.regroup.runtime.RuntimeFailure;
import dev.regroup.runtime.RuntimeRecord;
import dev.regroup.runtime.Signal;
import dev.regroup.runtime.StopOrder;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stops of one pod's containers that are under way: why, since when and how far. Beginning one
 * never waits for its end; each runs on a virtual thread and pokes the worker when it is over. One
 * that fails is back at its beginning after a pause, so that the next plan asks for it again.
 *
 * <p>The reason is durable before the hook or the signal (DEC-50); in between it is known here.
 */
final class ContainerStops {

  private static final Logger LOG = LoggerFactory.getLogger(ContainerStops.class);

  /**
   * One stop.
   *
   * @param why the first reason; a later one changes nothing
   */
  record Stop(StopReason why, StopProgress progress) {

    static final Stop NONE = new Stop(StopReason.NONE, StopProgress.NONE);

    private Stop at(Step step, Instant killAt) {
      return new Stop(why, new StopProgress(step, progress.since(), killAt));
    }

    private Map<String, String> labels() {
      return ContainerLabels.ofStop(why, progress.since());
    }
  }

  private final ContainerRuntime runtime;
  private final InstantSource clock;
  private final Pokes pokes;
  private final Map<ContainerKey, Stop> stops = new ConcurrentHashMap<>();
  private final Map<ContainerKey, Backoff> retries = new ConcurrentHashMap<>();
  private final PodThreads threads;

  ContainerStops(ContainerRuntime runtime, InstantSource clock, Pokes pokes, PodThreads threads) {
    this.runtime = runtime;
    this.clock = clock;
    this.pokes = pokes;
    this.threads = threads;
  }

  /** How far the stop is; after a restart of the node only its beginning is known. */
  Stop of(RuntimeRecord record) {
    var known = stops.get(record.key());
    if (known != null) {
      return known;
    }
    var labels = ContainerLabels.read(record.labels());
    return labels.stop() == StopReason.NONE
        ? Stop.NONE
        : new Stop(labels.stop(), new StopProgress(Step.NONE, labels.stopSince(), Instant.MAX));
  }

  /** What is known of the stop, else that it begins now for this reason. */
  private Stop first(RuntimeRecord record, StopReason why) {
    var known = of(record);
    return known.why() == StopReason.NONE
        ? new Stop(why, new StopProgress(Step.NONE, clock.instant(), Instant.MAX))
        : known;
  }

  /**
   * Keeps the reason while the signal has to wait.
   *
   * @param step what it waits for
   */
  void begin(RuntimeRecord record, StopReason why, Step step)
      throws RuntimeFailure, InterruptedException {
    var stop = first(record, why);
    try {
      runtime.announceStop(record.key(), stop.labels());
    } catch (RuntimeFailure e) {
      if (why != StopReason.POD_END) {
        throw e;
      }
      LOG.warn("{} ends, but why cannot be kept: {}", record.key(), e.getMessage());
    }
    stops.put(record.key(), stop.at(step, Instant.MAX));
  }

  /** The hook is over. */
  void hookEnded(ContainerKey key) {
    stops.computeIfPresent(
        key,
        (_, now) -> now.progress().step() == Step.PRE_STOP ? now.at(Step.BEGUN, Instant.MAX) : now);
  }

  /** Sends the signal and kills after the timeout; a shorter timeout replaces a longer one. */
  void signal(RuntimeRecord record, StopReason why, Signal signal, Duration timeout) {
    var killAt = clock.instant().plus(timeout);
    var known = first(record, why);
    if (known.progress().step() == Step.SIGNALLED && !killAt.isBefore(known.progress().killAt())) {
      return;
    }
    var stop = known.at(Step.SIGNALLED, killAt);
    stops.put(record.key(), stop);
    var deaf =
        why == StopReason.RESTART_ALL
            ? StopOrder.Deaf.IS_KILLED_AT_ONCE
            : StopOrder.Deaf.GETS_ITS_GRACE;
    var order = new StopOrder(stop.labels(), signal, timeout, deaf);
    threads.start("stop-" + record.key(), () -> stop(record.key(), why, order, stop));
  }

  void forget(ContainerKey key) {
    stops.remove(key);
    retries.remove(key);
  }

  private void stop(ContainerKey key, StopReason why, StopOrder order, Stop begun)
      throws InterruptedException {
    try {
      stop(key, why, order);
      retries.remove(key);
    } catch (RuntimeFailure e) {
      if (e.kind() != RuntimeFailure.Kind.NOT_FOUND) { // else it was removed meanwhile
        failed(key, begun, e);
      }
    } catch (RuntimeException e) {
      failed(key, begun, e);
    }
    pokes.poke();
  }

  /** A full disk must not keep a pod: its end is asked for again, also if nobody kept why. */
  private void stop(ContainerKey key, StopReason why, StopOrder order)
      throws RuntimeFailure, InterruptedException {
    try {
      runtime.stop(key, order);
    } catch (RuntimeFailure e) {
      if (why != StopReason.POD_END || e.kind() != RuntimeFailure.Kind.SYSTEM) {
        throw e;
      }
      runtime.stop(key, order.labelled(Map.of()));
    }
  }

  private void failed(ContainerKey key, Stop begun, Exception e) throws InterruptedException {
    LOG.warn("cannot stop {}: {}", key, e.getMessage());
    Thread.sleep(retries.computeIfAbsent(key, _ -> EffectFailure.retries()).next());
    stops.replace(key, begun, begun.at(Step.NONE, Instant.MAX)); // unless by a shorter one
  }
}
