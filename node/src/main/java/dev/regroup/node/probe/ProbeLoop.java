package dev.regroup.node.probe;

import dev.regroup.rules.pod.ProbeKind;
import dev.regroup.rules.pod.SeenContainer.ProbeResult;
import io.fabric8.kubernetes.api.model.Probe;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One probe of one run: waits for the initial delay and for the startup probe (PRB-03), then runs
 * the handler once per period and publishes a result when enough runs agree.
 */
final class ProbeLoop {

  private static final Logger LOG = LoggerFactory.getLogger(ProbeLoop.class);

  /** When a startup probe is hurried: so often it looks beside its period, later each time. */
  private static final int HURRIED_TRIES = 6;

  private static final Duration FIRST_HURRIED = Duration.ofMillis(10);

  private static final int MOST_TRIES = 3; // PRB-07: when a command cannot be run at all

  /**
   * A container is not asked whether it lives in the moment it starts: a check that fails there,
   * with a threshold of one, would kill it again and again. 1 s, the shortest period there is.
   */
  private static final Duration FIRST_LIVENESS = Duration.ofSeconds(1);

  private final ProbeKind kind;
  private final Probe probe;
  private final ProbeWorkers.Running running;
  private final Map<ProbeKind, ProbeResult> results;
  private final Handlers handlers;
  private final InstantSource clock;
  private final ProbeWorkers.Listener listener;
  private final Semaphore hurries = new Semaphore(0);
  private final Thread thread;

  private int successes;
  private int failures;

  ProbeLoop(
      ProbeKind kind,
      Probe probe,
      ProbeWorkers.Running running,
      Map<ProbeKind, ProbeResult> results,
      Handlers handlers,
      InstantSource clock,
      ProbeWorkers.Listener listener) {
    this.kind = kind;
    this.probe = probe;
    this.running = running;
    this.results = results;
    this.handlers = handlers;
    this.clock = clock;
    this.listener = listener;
    this.thread =
        Thread.ofVirtual()
            .name(kind.word() + "-probe-" + running.target().key())
            .unstarted(this::run);
  }

  ProbeKind kind() {
    return kind;
  }

  void start() {
    thread.start();
  }

  void interrupt() {
    thread.interrupt();
  }

  /** Something happened that may let it succeed soon. */
  void hurry() {
    hurries.release();
  }

  void join() throws InterruptedException {
    thread.join();
  }

  private void run() {
    try {
      waitForTurn();
      while (!count(verdict())) { // startup succeeded, or a kill is asked for: it is judged
        pause();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the run ended or the pod ends
    }
  }

  /**
   * Until the next turn. Hurried, it looks now and then, and takes its turn when that goes well; a
   * look that fails counts nowhere.
   */
  private void pause() throws InterruptedException {
    long turn = System.nanoTime() + period().toNanos();
    while (hurries.tryAcquire(turn - System.nanoTime(), TimeUnit.NANOSECONDS)) {
      hurries.drainPermits();
      var wait = FIRST_HURRIED;
      for (int i = 0; i < HURRIED_TRIES; i++, wait = wait.multipliedBy(2)) {
        if (System.nanoTime() + wait.toNanos() >= turn) {
          break;
        }
        Thread.sleep(wait);
        if (handleSafely() instanceof ProbeVerdict.Success) {
          return;
        }
      }
    }
  }

  private void waitForTurn() throws InterruptedException {
    var delay = Duration.ofSeconds(seconds(probe.getInitialDelaySeconds(), 0));
    if (kind == ProbeKind.LIVENESS && delay.isZero()) {
      delay = FIRST_LIVENESS;
    }
    var wait = Duration.between(clock.instant(), running.startedAt().plus(delay));
    if (wait.isPositive()) {
      Thread.sleep(wait);
    }
    if (kind == ProbeKind.STARTUP || running.target().container().getStartupProbe() == null) {
      return;
    }
    synchronized (results) {
      while (results.get(ProbeKind.STARTUP) != ProbeResult.SUCCESS) {
        results.wait();
      }
    }
  }

  private ProbeVerdict verdict() throws InterruptedException {
    long begun = System.nanoTime();
    var verdict = handleSafely();
    for (int tries = 1; tries < MOST_TRIES && verdict instanceof ProbeVerdict.Unable; tries++) {
      verdict = handleSafely();
    }
    if (Thread.interrupted()) { // the run ended under it: what it says counts no more
      throw new InterruptedException();
    }
    listener.judged(kind, verdict, Duration.ofNanos(System.nanoTime() - begun));
    return verdict;
  }

  /** A probe that breaks goes on: without it the container would never be ready, or never die. */
  private ProbeVerdict handleSafely() throws InterruptedException {
    try {
      return handle();
    } catch (RuntimeException e) {
      LOG.error("{} probe of {} broke", kind.word(), running.target().key(), e);
      return new ProbeVerdict.Unable(String.valueOf(e.getMessage()));
    }
  }

  private ProbeVerdict handle() throws InterruptedException {
    var timeout = Duration.ofSeconds(Math.max(1, seconds(probe.getTimeoutSeconds(), 1)));
    var target = running.target();
    if (probe.getExec() != null) {
      return handlers.exec(target, probe.getExec().getCommand(), timeout);
    }
    if (probe.getHttpGet() != null) {
      return handlers.http(target, probe.getHttpGet(), timeout);
    }
    if (probe.getTcpSocket() != null) {
      var tcp = probe.getTcpSocket();
      return handlers.tcp(target, tcp.getHost(), tcp.getPort(), timeout);
    }
    if (probe.getGrpc() != null) {
      return handlers.grpc(target, probe.getGrpc(), timeout);
    }
    return new ProbeVerdict.Unable("this node cannot run this kind of probe");
  }

  /** Returns whether this probe is done with this run. */
  private boolean count(ProbeVerdict verdict) {
    var key = running.target().key();
    switch (verdict) {
      case ProbeVerdict.Success _ -> success();
      case ProbeVerdict.Warning(var output) -> {
        listener.warning(key, title() + " probe warning: " + output);
        success();
      }
      case ProbeVerdict.Failure(var output) -> {
        listener.unhealthy(key, title() + " probe failed: " + output);
        failure();
      }
      case ProbeVerdict.Unable(var problem) ->
          listener.unhealthy(
              key, title() + " probe errored and resulted in unknown state: " + problem);
    }
    return switch (kind) {
      case STARTUP -> results.get(kind) != null;
      case LIVENESS -> results.get(kind) == ProbeResult.FAILURE;
      case READINESS -> false;
    };
  }

  private void success() {
    failures = 0;
    if (++successes >= Math.max(1, seconds(probe.getSuccessThreshold(), 1))) {
      publish(ProbeResult.SUCCESS);
    }
  }

  private void failure() {
    successes = 0;
    if (++failures >= Math.max(1, seconds(probe.getFailureThreshold(), 3))) {
      publish(ProbeResult.FAILURE);
    }
  }

  private void publish(ProbeResult result) {
    boolean changed;
    synchronized (results) {
      changed = results.put(kind, result) != result;
      results.notifyAll(); // PRB-06: readiness and liveness begin at once
    }
    if (changed) {
      listener.changed();
    }
  }

  private Duration period() {
    int period = seconds(probe.getPeriodSeconds(), 10);
    return Duration.ofSeconds(period == 0 ? 10 : period);
  }

  private static int seconds(@Nullable Integer value, int otherwise) {
    return value == null ? otherwise : value;
  }

  private String title() {
    return kind.word().substring(0, 1).toUpperCase(Locale.ROOT) + kind.word().substring(1);
  }
}
