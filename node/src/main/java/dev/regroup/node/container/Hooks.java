package dev.regroup.node.container;

import dev.regroup.node.pod.PodThreads;
import dev.regroup.node.pod.Pokes;
import dev.regroup.node.probe.Handlers;
import dev.regroup.node.probe.ProbeTarget;
import dev.regroup.node.probe.ProbeVerdict;
import dev.regroup.rules.pod.SeenContainer.HookState;
import dev.regroup.runtime.ContainerKey;
import io.fabric8.kubernetes.api.model.LifecycleHandler;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lifecycle hooks of one pod. A hook runs on its own virtual thread, beside the container; its
 * end pokes the worker. Output and errors of a hook never leave the node (HOOK-05).
 */
final class Hooks {

  private static final Logger LOG = LoggerFactory.getLogger(Hooks.class);

  /** A hook has no timeout of its own (HOOK-04); a stop abandons it. */
  private static final Duration UNLIMITED = Duration.ofDays(1);

  private static final Duration HTTP_TIMEOUT = Duration.ofSeconds(30);

  private final Handlers handlers;
  private final Pokes pokes;
  private final PodThreads threads;
  private final Map<ContainerKey, HookState> postStarts = new ConcurrentHashMap<>();
  private final Map<ContainerKey, Thread> preStops = new ConcurrentHashMap<>();

  Hooks(Handlers handlers, Pokes pokes, PodThreads threads) {
    this.handlers = handlers;
    this.pokes = pokes;
    this.threads = threads;
  }

  HookState postStart(ContainerKey key) {
    return postStarts.getOrDefault(key, HookState.NONE);
  }

  /** How a {@code preStop} hook ended. */
  enum Outcome {
    SUCCEEDED,
    FAILED
  }

  /** Begins {@code postStart}; how it ends is seen at a later look. */
  void beginPostStart(ProbeTarget target, LifecycleHandler handler) {
    postStarts.put(target.key(), HookState.RUNNING);
    threads.start(
        "post-start-" + target.key(),
        () -> {
          boolean fine = outcome(target, handler, UNLIMITED) == Outcome.SUCCEEDED;
          postStarts.replace(target.key(), fine ? HookState.SUCCEEDED : HookState.FAILED);
          pokes.poke();
        });
  }

  /**
   * Begins {@code preStop}. One thread runs it, within its limit, and tells {@code onEnd} once how
   * it ended: who takes the hook out of the map has the say, its thread or who abandons it.
   */
  void beginPreStop(
      ProbeTarget target, LifecycleHandler handler, Duration limit, Consumer<Outcome> onEnd) {
    preStops.compute(
        target.key(),
        (key, _) ->
            threads.start(
                "pre-stop-" + key,
                () -> {
                  var outcome = outcome(target, handler, limit);
                  if (preStops.remove(key, Thread.currentThread())) {
                    onEnd.accept(outcome);
                    pokes.poke();
                  }
                }));
  }

  /**
   * The signal is sent: whoever still runs a hook gives up, and nobody hears of it any more.
   *
   * @return whether one was still running
   */
  boolean abandonPreStop(ContainerKey key) {
    var hook = preStops.remove(key);
    if (hook == null) {
      return false;
    }
    hook.interrupt();
    return true;
  }

  void forget(ContainerKey key) {
    postStarts.remove(key);
    boolean _ = abandonPreStop(key);
  }

  /** Whatever happens it has an outcome: a pod must not wait for a hook that is gone. */
  private Outcome outcome(ProbeTarget target, LifecycleHandler handler, Duration limit)
      throws InterruptedException {
    try {
      return run(target, handler, limit);
    } catch (RuntimeException e) {
      LOG.error("hook of {} failed", target.key(), e);
      return Outcome.FAILED;
    }
  }

  /** Runs it; one that takes longer than the limit is abandoned (TERM-04). */
  private Outcome run(ProbeTarget target, LifecycleHandler handler, Duration limit)
      throws InterruptedException {
    if (handler.getSleep() != null) {
      var wanted = Duration.ofSeconds(handler.getSleep().getSeconds());
      Thread.sleep(shorter(wanted, limit));
      return wanted.compareTo(limit) <= 0 ? Outcome.SUCCEEDED : Outcome.FAILED;
    }
    if (limit.isZero()) {
      return Outcome.FAILED;
    }
    if (handler.getExec() != null) {
      var verdict = handlers.exec(target, handler.getExec().getCommand(), limit);
      return verdict instanceof ProbeVerdict.Success ? Outcome.SUCCEEDED : Outcome.FAILED;
    }
    if (handler.getHttpGet() != null) {
      var verdict = handlers.httpHook(target, handler.getHttpGet(), shorter(HTTP_TIMEOUT, limit));
      return verdict instanceof ProbeVerdict.Success ? Outcome.SUCCEEDED : Outcome.FAILED;
    }
    return Outcome.FAILED; // tcpSocket parses but never runs (API-09)
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }
}
