package dev.regroup.rules.pod.plan;

import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.ProbeKind;
import dev.regroup.rules.pod.SeenContainer;
import dev.regroup.rules.pod.SeenContainer.HookState;
import dev.regroup.rules.pod.SeenContainer.ProbeResult;
import dev.regroup.rules.pod.SeenContainer.State;
import dev.regroup.rules.pod.SeenContainer.StopProgress;
import dev.regroup.rules.pod.StopReason;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;

/** One run in the simulated runtime. */
public final class SimRecord {
  public final ContainerId id;
  public final String container;
  public final int number;
  public final int epoch;
  final String sandbox;
  public final ContainerSpec spec;
  final Script.Run run;
  final Script script;
  final Instant startedAt;
  State state = State.RUNNING;
  public Instant finishedAt = Instant.EPOCH;
  Instant exitsAt;
  public int exitCode;
  public String reason = "";
  public StopReason stopReason = StopReason.NONE;
  StopProgress stop = StopProgress.NONE;
  Instant hookEndsAt = Instant.MAX;
  HookState postStart = HookState.NONE;
  Instant postStartEndsAt = Instant.MAX;
  public final Map<ProbeKind, ProbeResult> probes = new EnumMap<>(ProbeKind.class);

  SimRecord(
      ContainerId id,
      Effect.Start start,
      String sandbox,
      ContainerSpec spec,
      Script script,
      Script.Run run,
      Instant now) {
    this.id = id;
    this.container = start.container();
    this.number = start.run();
    this.epoch = start.epoch();
    this.sandbox = sandbox;
    this.spec = spec;
    this.script = script;
    this.run = run;
    this.startedAt = now;
    this.exitsAt = now.plus(run.after());
    this.exitCode = run.code();
    if (spec.has(ContainerSpec.Hook.POST_START)) {
      postStart = HookState.RUNNING;
      postStartEndsAt = now.plus(script.postStart().abs());
    }
  }

  public boolean up() {
    return state == State.RUNNING;
  }

  void beginStop(Effect.BeginStop effect, Instant now) {
    if (!up() || stop.step() != StopProgress.Step.NONE) {
      return;
    }
    store(effect.why());
    var since = stop.since().equals(Instant.EPOCH) ? now : stop.since();
    boolean hook = effect.preStop() == Effect.BeginStop.PreStop.RUN;
    stop =
        new StopProgress(
            hook ? StopProgress.Step.PRE_STOP : StopProgress.Step.BEGUN, since, Instant.MAX);
    if (hook) {
      var end = now.plus(script.preStop());
      hookEndsAt = end.isBefore(effect.until()) ? end : effect.until();
    }
  }

  void signal(Effect.Signal effect, Instant now) {
    if (!up()) {
      return;
    }
    store(effect.why());
    var since = stop.since().equals(Instant.EPOCH) ? now : stop.since();
    var kill = now.plus(effect.timeout());
    if (stop.step() == StopProgress.Step.SIGNALLED && !kill.isBefore(stop.killAt())) {
      return;
    }
    boolean first = stop.step() != StopProgress.Step.SIGNALLED;
    stop = new StopProgress(StopProgress.Step.SIGNALLED, since, kill);
    if (first && now.plus(run.onSignal()).isBefore(exitsAt)) {
      exitsAt = now.plus(run.onSignal());
      exitCode = run.signalCode();
    }
  }

  private void store(StopReason why) {
    if (stopReason == StopReason.NONE) {
      stopReason = why;
    }
  }

  /** When something happens next without the node doing anything. */
  public Instant nextChange() {
    if (!up()) {
      return Instant.MAX;
    }
    var next = exitsAt.isBefore(stop.killAt()) ? exitsAt : stop.killAt();
    next = hookEndsAt.isBefore(next) ? hookEndsAt : next;
    return postStartEndsAt.isBefore(next) ? postStartEndsAt : next;
  }

  public void advance(Instant now) {
    if (!up()) {
      return;
    }
    if (!exitsAt.isAfter(now) && !exitsAt.isAfter(stop.killAt())) {
      exit(exitCode, run.reason(), exitsAt);
    } else if (!stop.killAt().isAfter(now)) {
      exit(137, "", stop.killAt());
    }
    if (!hookEndsAt.isAfter(now)) {
      hookEndsAt = Instant.MAX;
      if (stop.step() == StopProgress.Step.PRE_STOP) {
        stop = new StopProgress(StopProgress.Step.BEGUN, stop.since(), Instant.MAX);
      }
    }
    if (!postStartEndsAt.isAfter(now)) {
      postStartEndsAt = Instant.MAX;
      postStart = script.postStart().isNegative() ? HookState.FAILED : HookState.SUCCEEDED;
    }
  }

  public void exit(int code, String why, Instant at) {
    state = State.EXITED;
    exitCode = code;
    reason = why;
    finishedAt = at;
  }

  /** What a restart of the node forgets: hooks and kill timers; the process goes on. */
  void nodeRestarts() {
    stop = new StopProgress(StopProgress.Step.NONE, stop.since(), Instant.MAX);
    hookEndsAt = Instant.MAX;
    postStartEndsAt = Instant.MAX;
    postStart = HookState.NONE;
    probes.clear();
  }

  SeenContainer seen() {
    boolean exited = state == State.EXITED;
    return new SeenContainer(
        id,
        container,
        number,
        epoch,
        sandbox,
        spec.image(),
        spec.fingerprint(),
        state,
        startedAt,
        state == State.CREATED ? Instant.EPOCH : startedAt,
        finishedAt,
        exited ? exitCode : 0,
        exited ? reason : "",
        "",
        stopReason,
        stop,
        postStart,
        probes);
  }

  Duration ran() {
    return Duration.between(startedAt, finishedAt);
  }
}
