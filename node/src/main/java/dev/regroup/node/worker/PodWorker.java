package dev.regroup.node.worker;

import static java.util.Objects.requireNonNull;

import dev.regroup.client.Backoff;
import dev.regroup.client.crash.CrashPoint;
import dev.regroup.client.replay.BugFiles;
import dev.regroup.node.pod.EffectFailure;
import dev.regroup.node.pod.Pokes;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.NodeSettings;
import dev.regroup.rules.pod.plan.PodPlan;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives one pod on its own virtual thread: look, plan, publish, do, wait. A poke carries no news,
 * it only says "look again", so pokes may be merged, repeated or early. The node stops the worker
 * when nothing of the pod is left.
 */
public final class PodWorker {

  private static final Logger LOG = LoggerFactory.getLogger(PodWorker.class);

  /** Idle re-sync: 60 s stretched by 1.0 to 1.5. Only a safety net, everything is an event. */
  private static final Duration RESYNC = Duration.ofSeconds(60);

  /** What a worker is told once, where the node is wired. */
  public record Setting(
      NodeSettings rules,
      InstantSource clock,
      RandomGenerator random,
      CrashPoint crashPoint,
      BugFiles bugs) {}

  private final Backoff retries = EffectFailure.retries();
  private final String name;
  private final PodPort pod;
  private final Pokes pokes;
  private final Setting setting;
  private final Thread thread;
  private boolean open;
  private @Nullable PodLook last;

  PodWorker(String name, PodPort pod, Pokes pokes, Setting setting) {
    this.name = name;
    this.pokes = requireNonNull(pokes, "pokes");
    this.pod = requireNonNull(pod, "pod");
    this.setting = requireNonNull(setting, "setting");
    this.thread = Thread.ofVirtual().name("pod-" + name).unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** Asks the worker to leave and waits until it has. Containers keep running. */
  void stop() throws InterruptedException {
    thread.interrupt();
    thread.join();
  }

  private void run() {
    try {
      while (true) {
        pokes.drain(); // before looking: a poke from here on causes another look
        pause(look());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // stop() was called
    }
  }

  /** Returns when to look again if nobody pokes. */
  private Instant look() throws InterruptedException {
    try {
      if (!open) {
        pod.open();
        open = true;
      }
      var seen = pod.observe();
      var look = new PodLook(pod.spec(), seen, setting.rules(), setting.clock().instant());
      last = look;
      var plan = look.plan(); // a PodPlan of this look, and of nothing else
      pod.publish(plan); // never waits for the server
      return perform(plan);
    } catch (EffectFailure failure) {
      LOG.warn("pod {}: {}", name, failure.getMessage());
      return setting.clock().instant().plus(retries.next());
    } catch (RuntimeException | Error bug) { // also a stack that is too deep, a class that fails
      LOG.error("pod {}: worker failed, it goes on", name, bug); // supervisor: the pod lives on
      if (last != null) {
        setting.bugs().note("pod-" + name, last, bug);
      }
      return setting.clock().instant().plus(retries.next());
    }
  }

  private Instant perform(PodPlan plan) throws EffectFailure, InterruptedException {
    boolean changed = false;
    for (var effect : plan.effects()) {
      var point = point(effect);
      setting.crashPoint().reach("before-" + point);
      pod.perform(effect);
      setting.crashPoint().reach("after-" + point);
      changed |= !(effect instanceof Effect.Emit); // an event alone changes nothing to look at
    }
    if (changed) {
      retries.reset();
      return setting.clock().instant();
    }
    pod.settle(plan);
    retries.reset();
    return plan.wakeUp();
  }

  /** The name of the effect's crash points. */
  private static String point(Effect effect) {
    return switch (effect) {
      case Effect.Remember _ -> "remember";
      case Effect.CreateSandbox _ -> "create-sandbox";
      case Effect.Start _ -> "start";
      case Effect.BeginStop _ -> "begin-stop";
      case Effect.Signal _ -> "signal";
      case Effect.Remove _ -> "remove";
      case Effect.StopSandbox _ -> "stop-sandbox";
      case Effect.KillSandbox _ -> "kill-sandbox";
      case Effect.Emit _ -> "emit";
    };
  }

  private void pause(Instant wakeUp) throws InterruptedException {
    var now = setting.clock().instant();
    if (!wakeUp.isAfter(now)) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      return;
    }
    long resync = (long) (RESYNC.toNanos() * (1 + setting.random().nextDouble() / 2));
    var limit = now.plusNanos(resync);
    var until = wakeUp.isBefore(limit) ? wakeUp : limit;
    pokes.await(Duration.between(now, until));
  }
}
