package dev.regroup.node;

import dev.regroup.node.probe.Handlers;
import dev.regroup.node.probe.Target;
import dev.regroup.node.probe.Verdict;
import dev.regroup.rules.pod.ContainerRecord.HookState;
import dev.regroup.runtime.ContainerKey;
import io.fabric8.kubernetes.api.model.LifecycleHandler;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The lifecycle hooks of one pod. A hook runs on its own virtual thread, beside the container; its
 * end pokes the worker. Output and errors of a hook never leave the node (HOOK-05).
 */
final class Hooks {

  /** A hook has no timeout of its own (HOOK-04); a stop abandons it. */
  private static final Duration UNLIMITED = Duration.ofDays(1);

  private static final Duration HTTP_TIMEOUT = Duration.ofSeconds(30);

  private final Handlers handlers;
  private final Pokes pokes;
  private final Threads threads;
  private final Map<ContainerKey, HookState> postStarts = new ConcurrentHashMap<>();
  private final Map<ContainerKey, Thread> preStops = new ConcurrentHashMap<>();

  Hooks(Handlers handlers, Pokes pokes, Threads threads) {
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
  void beginPostStart(Target target, LifecycleHandler handler) {
    postStarts.put(target.key(), HookState.RUNNING);
    threads.start(
        "post-start-" + target.key(),
        () -> {
          boolean fine = run(target, handler) == Outcome.SUCCEEDED;
          postStarts.replace(target.key(), fine ? HookState.SUCCEEDED : HookState.FAILED);
          pokes.poke();
        });
  }

  /** Begins {@code preStop}; {@code onEnd} is told how it ended, or that its time is over. */
  void beginPreStop(
      Target target, LifecycleHandler handler, Duration limit, Consumer<Outcome> onEnd) {
    var hook =
        threads.start(
            "pre-stop-" + target.key(),
            () -> {
              onEnd.accept(run(target, handler));
              pokes.poke();
            });
    preStops.put(target.key(), hook);
    threads.start(
        "pre-stop-limit-" + target.key(),
        () -> {
          if (!hook.join(limit)) {
            hook.interrupt(); // abandoned (TERM-04)
            onEnd.accept(Outcome.FAILED);
            pokes.poke();
          }
        });
  }

  /** The signal is sent: whoever still runs a hook gives up. */
  void abandonPreStop(ContainerKey key) {
    var hook = preStops.remove(key);
    if (hook != null) {
      hook.interrupt();
    }
  }

  void forget(ContainerKey key) {
    postStarts.remove(key);
    abandonPreStop(key);
  }

  private Outcome run(Target target, LifecycleHandler handler) throws InterruptedException {
    if (handler.getSleep() != null) {
      Thread.sleep(Duration.ofSeconds(handler.getSleep().getSeconds()));
      return Outcome.SUCCEEDED;
    }
    if (handler.getExec() != null) {
      var verdict = handlers.exec(target, handler.getExec().getCommand(), UNLIMITED);
      return verdict instanceof Verdict.Success ? Outcome.SUCCEEDED : Outcome.FAILED;
    }
    if (handler.getHttpGet() != null) {
      var verdict = handlers.httpHook(target, handler.getHttpGet(), HTTP_TIMEOUT);
      return verdict instanceof Verdict.Success ? Outcome.SUCCEEDED : Outcome.FAILED;
    }
    return Outcome.FAILED; // tcpSocket parses but never runs (API-09)
  }
}
