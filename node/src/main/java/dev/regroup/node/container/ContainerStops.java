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
 * The stops of one pod's containers that are under way. Beginning one never waits; each runs on a
 * virtual thread and pokes the worker when it is over. A stop that fails is forgotten after a pause
 * so that the next plan asks for it again.
 */
final class ContainerStops {

  private static final Logger LOG = LoggerFactory.getLogger(ContainerStops.class);

  private final ContainerRuntime runtime;
  private final InstantSource clock;
  private final Pokes pokes;
  private final Map<ContainerKey, StopProgress> progress = new ConcurrentHashMap<>();
  private final Map<ContainerKey, Backoff> retries = new ConcurrentHashMap<>();
  private final PodThreads threads;

  ContainerStops(ContainerRuntime runtime, InstantSource clock, Pokes pokes, PodThreads threads) {
    this.runtime = runtime;
    this.clock = clock;
    this.pokes = pokes;
    this.threads = threads;
  }

  /** How far the stop is; after a restart of the node only its beginning is known. */
  StopProgress of(ContainerKey key, AttemptNotes.Note note) {
    var known = progress.get(key);
    if (known != null) {
      return known;
    }
    return note.stop() == StopReason.NONE
        ? StopProgress.NONE
        : new StopProgress(Step.NONE, note.stopSince(), Instant.MAX);
  }

  /** The hook runs; the signal follows later. */
  void hookRuns(ContainerKey key, Instant since) {
    progress.put(key, new StopProgress(Step.PRE_STOP, since, Instant.MAX));
  }

  /** There is no hook, or it is over. */
  void begun(ContainerKey key, Instant since) {
    progress.compute(
        key,
        (_, now) ->
            now != null && now.step() == Step.SIGNALLED
                ? now
                : new StopProgress(Step.BEGUN, since, Instant.MAX));
  }

  /** Sends the signal and kills after the timeout; a shorter timeout replaces a longer one. */
  void signal(ContainerKey key, StopReason why, Signal signal, Instant since, Duration timeout) {
    var now = clock.instant();
    var killAt = now.plus(timeout);
    var known = progress.get(key);
    if (known != null && known.step() == Step.SIGNALLED && !killAt.isBefore(known.killAt())) {
      return;
    }
    var begun = new StopProgress(Step.SIGNALLED, since, killAt);
    progress.put(key, begun);
    var deaf =
        why == StopReason.RESTART_ALL
            ? StopOrder.Deaf.IS_KILLED_AT_ONCE
            : StopOrder.Deaf.GETS_ITS_GRACE;
    var order = new StopOrder(runtimeReason(why), signal, timeout, deaf);
    threads.start("stop-" + key, () -> stop(key, order, begun));
  }

  void forget(ContainerKey key) {
    progress.remove(key);
    retries.remove(key);
  }

  private void stop(ContainerKey key, StopOrder order, StopProgress begun)
      throws InterruptedException {
    try {
      runtime.stop(key, order);
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

  private void failed(ContainerKey key, StopProgress begun, Exception e)
      throws InterruptedException {
    LOG.warn("cannot stop {}: {}", key, e.getMessage());
    Thread.sleep(retries.computeIfAbsent(key, _ -> EffectFailure.retries()).next());
    progress.remove(key, begun); // unless a shorter one has replaced it
  }

  static dev.regroup.runtime.RuntimeStopReason runtimeReason(StopReason why) {
    return switch (why) {
      case RESTART_ALL -> dev.regroup.runtime.RuntimeStopReason.RESTART_ALL;
      case LIVENESS_FAILED, STARTUP_FAILED, POST_START_FAILED ->
          dev.regroup.runtime.RuntimeStopReason.PROBE;
      case DEFINITION_CHANGED -> dev.regroup.runtime.RuntimeStopReason.IMAGE_CHANGE;
      case REQUESTED -> dev.regroup.runtime.RuntimeStopReason.REQUEST;
      case SUPERSEDED, SANDBOX_LOST -> dev.regroup.runtime.RuntimeStopReason.RECOVERY;
      case NONE, POD_END -> dev.regroup.runtime.RuntimeStopReason.POD_END;
    };
  }
}
