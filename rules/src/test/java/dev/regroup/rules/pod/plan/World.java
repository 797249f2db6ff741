package dev.regroup.rules.pod.plan;

import dev.regroup.rules.group.GroupOrders;
import dev.regroup.rules.pod.BackOffMemory;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.ContainerSpec.Hook;
import dev.regroup.rules.pod.ContainerState;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.Effect.BeginStop;
import dev.regroup.rules.pod.Observed;
import dev.regroup.rules.pod.Observed.Deletion;
import dev.regroup.rules.pod.Observed.Sandbox;
import dev.regroup.rules.pod.PodCondition;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.PodSpec.BarrierRole;
import dev.regroup.rules.pod.PodStatus;
import dev.regroup.rules.pod.RestartCycle;
import dev.regroup.rules.pod.RestartCycle.Cause;
import dev.regroup.rules.pod.SeenContainer;
import dev.regroup.rules.pod.StopReason;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;

/**
 * A simulated node that checks the invariants of design.md section 9 on every plan and every
 * effect.
 */
public class World extends SimNode {
  /** An invariant does not hold. */
  public static final class Broken extends AssertionError {
    private static final long serialVersionUID = 1;

    public Broken(String message) {
      super(message);
    }
  }

  private final Map<String, Integer> lastRun = new HashMap<>();
  private int newestEpoch;
  private int nodeLives;
  private String cycleSpell = "";
  private String removedIn = "";
  private final Map<String, Integer> counts = new HashMap<>();
  private final Set<String> usedSources = new HashSet<>();
  private final Map<String, Wait> waits = new HashMap<>();
  private final Set<String> kept = new HashSet<>();
  private int highestEpoch;

  /** Back-off as a second, plain model of it. */
  private record Wait(Duration delay, Instant granted) {
    boolean forgotten(SimRecord ended) {
      return Duration.between(granted, ended.finishedAt).compareTo(Duration.ofMinutes(10)) > 0;
    }
  }

  public World(PodSpec spec) {
    super(spec);
  }

  private void check(boolean holds, String message) {
    if (!holds) {
      throw new Broken(message + " at " + Duration.between(START, now));
    }
  }

  @Override
  protected void afterPlan(PodPlan plan) {
    var status = plan.status();
    statusIsSound(plan, status);
    for (var container : status.containers()) {
      int before = counts.getOrDefault(container.name(), 0);
      boolean forgotten = !apiReachable;
      check(
          container.restartCount() >= before || forgotten,
          "restart count of " + container.name() + " went down");
      counts.merge(container.name(), container.restartCount(), Math::max);
    }
    if (plans.size() % 4 != 0) {
      return; // now and then is often enough
    }
    var again = planner.plan(spec, observeAs(plan), settings, now);
    if (!again.effects().equals(plan.effects())) {
      throw new Broken(
          "a plan depends on what was published just now: "
              + plan.effects()
              + ", then "
              + again.effects());
    }
  }

  /** The same observation, but the status of this plan already known. */
  private Observed observeAs(PodPlan plan) {
    var seen = observe();
    return new Observed(
        seen.cycle(),
        seen.sandbox(),
        seen.records(),
        seen.startFailures(),
        seen.lastRuns(),
        plan.status().phase().isTerminal() ? beforePlan : plan.status(),
        beforeBackOff,
        seen.group(),
        seen.request(),
        seen.deletion(),
        seen.forcedEnd(),
        START,
        seen.conditions());
  }

  private PodStatus beforePlan = PodStatus.NONE;
  private BackOffMemory beforeBackOff = BackOffMemory.EMPTY;

  @Override
  protected PodPlan decide() {
    beforePlan = lastStatus;
    beforeBackOff = backOff;
    return super.decide();
  }

  private void statusIsSound(PodPlan plan, PodStatus status) {
    boolean up = records.values().stream().anyMatch(SimRecord::up);
    if (beforePlan.phase().isTerminal()) {
      check(status.phase() == beforePlan.phase(), "a terminal phase changed");
    }
    if (status.phase().isTerminal()) {
      check(!up, "a terminal phase is shown while something runs");
    }
    boolean terminating =
        cycle.terminating()
            && plan.step().to() != PodLifecycle.Stage.ENDING
            && plan.step().to() != PodLifecycle.Stage.ENDED;
    check(
        status.isTrue(PodCondition.Type.ALL_CONTAINERS_RESTARTING) == terminating,
        "the condition does not show phase one");
    check(status.attempt().equals(cycle.attempt()), "the attempt told is not the durable one");
    for (var record : records.values()) {
      boolean newest = lastRun.getOrDefault(record.container, -1) == record.number;
      if (newest && record.state == SeenContainer.State.RUNNING) {
        var shown = status.container(record.container).orElseThrow();
        check(shown.restartCount() == record.number, record.container + " shows a wrong count");
        check(shown.state() instanceof ContainerState.Running, record.container + " runs unseen");
      }
    }
  }

  @Override
  protected void perform(Effect effect) {
    switch (effect) {
      case Effect.Remember(RestartCycle next) -> {
        remembers(next);
        removedIn = next.epoch() > cycle.epoch() ? spell() : removedIn;
      }
      case Effect.Start start -> starts(start);
      case Effect.Remove(List<ContainerId> ids) -> removes(ids);
      case Effect.Signal signal -> signals(signal);
      case BeginStop stop -> begins(stop);
      case Effect.CreateSandbox() ->
          check(sandbox.state() == Sandbox.State.NONE, "a second sandbox is made");
      case Effect.StopSandbox _ ->
          check(records.values().stream().noneMatch(SimRecord::up), "sandbox stopped under load");
      case Effect.KillSandbox _, Effect.Emit _ -> {}
    }
    super.perform(effect);
  }

  private void remembers(RestartCycle next) {
    if (next.terminating() && !cycle.terminating()) {
      check(deletion.equals(Deletion.NONE), "a cycle begins while the pod is deleted");
      kept.clear();
      kept.addAll(next.keep());
      if (next.cause() instanceof Cause.Exited(var sources)) {
        sources.forEach(this::isNewSource);
      }
    }
    if (cycle.terminating() && next.state() == RestartCycle.State.STARTING) {
      check(next.epoch() == cycle.epoch() + 1, "a cycle ends without a new epoch");
      check(
          records.values().stream().allMatch(r -> kept.contains(r.container) || isEphemeral(r)),
          "a cycle ends before every record is removed");
    }
    check(next.epoch() >= highestEpoch, "the epoch went back");
    highestEpoch = next.epoch();
  }

  private void isNewSource(RestartCycle.Source source) {
    var record =
        records.values().stream()
            .filter(r -> r.container.equals(source.container()))
            .max((a, b) -> Integer.compare(a.number, b.number))
            .orElseThrow(() -> new Broken("a source without a record"));
    check(record.state == SeenContainer.State.EXITED, "a source that has not exited");
    check(record.exitCode == source.exitCode(), "a source with another exit code");
    check(Oracle.next(spec.restartPolicy(), record) == Oracle.Next.ALL, "a source no rule matches");
    check(
        record.stopReason != StopReason.RESTART_ALL && record.stopReason != StopReason.POD_END,
        "a victim is taken for a source");
    check(usedSources.add(record.id.value()), "one trigger, two restarts");
  }

  private static boolean isEphemeral(SimRecord record) {
    return record.spec.kind() == ContainerKind.EPHEMERAL;
  }

  private void starts(Effect.Start start) {
    var name = start.container();
    check(!published.phase().isTerminal(), name + " starts in an ended pod");
    check(deletion.equals(Deletion.NONE), name + " starts in a deleted pod");
    check(!cycle.terminating(), name + " starts in phase one");
    check(start.epoch() == cycle.epoch(), name + " starts in another epoch");
    check(sandbox.isReady(), name + " starts without a sandbox");
    check(running(name).isEmpty(), name + " starts while it runs");
    boolean retried = records.containsKey(new ContainerId(name + "-" + start.run()));
    int last = lastRun.getOrDefault(name, -1);
    check(retried || start.run() == last + 1, name + " skips or repeats a count");
    var container =
        spec.containers().stream().filter(c -> c.name().equals(name)).findFirst().orElseThrow();
    mayRestart(container, start);
    inOrder(container);
  }

  /** Within one epoch and sandbox only what the oracle allows is started again. */
  private void mayRestart(ContainerSpec container, Effect.Start start) {
    var before = started.stream().filter(r -> r.container.equals(container.name())).toList();
    if (before.isEmpty()) {
      return;
    }
    var last = before.getLast();
    if (last.epoch != start.epoch() || !last.sandbox.equals(sandbox.id())) {
      return;
    }
    check(!last.up(), container.name() + " starts beside its last run");
    if (isFree(last)) {
      return;
    }
    check(
        Oracle.next(spec.restartPolicy(), last) == Oracle.Next.AGAIN,
        container.name() + " is restarted against the rules, after " + last.exitCode);
    var key = container.name() + container.fingerprint();
    var wait = waits.get(key);
    var delay = wait == null || wait.forgotten(last) ? Duration.ZERO : wait.delay();
    check(!now.isBefore(last.finishedAt.plus(delay)), container.name() + " did not back off");
  }

  private void inOrder(ContainerSpec container) {
    if (container.kind() == ContainerKind.EPHEMERAL) {
      return;
    }
    boolean initialized =
        spec.regular().stream()
            .anyMatch(c -> records.values().stream().anyMatch(r -> isHere(r, c)));
    for (var entry : spec.initEntries()) {
      if (entry.name().equals(container.name()) || initialized) {
        break;
      }
      boolean later =
          container.kind().isInitEntry()
              && spec.initEntries().indexOf(entry) > spec.initEntries().indexOf(container);
      check(later || arrived(entry), container.name() + " starts before " + entry.name());
    }
    if (container.kind() == ContainerKind.REGULAR && spec.barrier() == BarrierRole.NODE_AGENT) {
      barrier(container.name(), initialized);
    }
  }

  private boolean isHere(SimRecord record, ContainerSpec container) {
    return record.container.equals(container.name())
        && record.epoch == cycle.epoch()
        && record.sandbox.equals(sandbox.id());
  }

  /** Whether this init entry was done, or started, at some time in this epoch and sandbox. */
  private boolean arrived(ContainerSpec entry) {
    return started.stream()
        .filter(r -> isHere(r, entry) || kept.contains(entry.name()))
        .filter(r -> r.container.equals(entry.name()))
        .anyMatch(r ->
            entry.kind() == ContainerKind.SIDECAR
                || (!r.up() && Oracle.next(spec.restartPolicy(), r) == Oracle.Next.DONE));
  }

  private void barrier(String name, boolean lifted) {
    check(cycle.attempt().isPresent(), name + " starts without an attempt");
    check(
        lifted || group.current().equals(cycle.attempt()),
        name + " starts before the barrier lifts");
    check(
        lifted
            || group.previous().isEmpty()
            || group.previous().getAsInt() < cycle.attempt().getAsInt(),
        name + " starts in an attempt the group has left");
  }

  private void removes(List<ContainerId> ids) {
    for (var id : ids) {
      var record = records.get(id);
      if (record == null) {
        continue;
      }
      check(!record.up(), "a running container is removed: " + id);
      if (cycle.terminating()) {
        check(!kept.contains(record.container), "a kept sidecar is removed: " + id);
        boolean victimsLeft =
            records.values().stream()
                .anyMatch(r ->
                    !isSource(r.container)
                        && !kept.contains(r.container)
                        && !isEphemeral(r)
                        && !ids.contains(r.id));
        check(!isSource(record.container) || !victimsLeft, "a source is removed before a victim");
      }
    }
  }

  private boolean isSource(String container) {
    return cycle.cause() instanceof Cause.Exited(var sources)
        && sources.stream().anyMatch(s -> s.container().equals(container));
  }

  private void signals(Effect.Signal signal) {
    var record = records.get(signal.id());
    if (record == null) {
      return;
    }
    check(
        signal.why() != StopReason.RESTART_ALL || cycle.terminating(),
        "a victim is stopped before the cycle is remembered");
    check(
        signal.why() != StopReason.RESTART_ALL || !kept.contains(record.container),
        "a kept sidecar is stopped: " + record.container);
    boolean early = signal.timeout().compareTo(DueStops.MINIMUM) > 0;
    if (signal.why() == StopReason.POD_END
        && record.spec.kind() == ContainerKind.SIDECAR
        && record.stop.step() != SeenContainer.StopProgress.Step.SIGNALLED // told to end before
        && early) {
      boolean needed =
          records.values().stream().anyMatch(r -> r.up() && r.spec.kind() == ContainerKind.REGULAR);
      check(!needed, "a sidecar ends before the work it serves");
    }
  }

  private void begins(BeginStop stop) {
    var record = records.get(stop.id());
    boolean hook = stop.preStop() == BeginStop.PreStop.RUN;
    if (record != null && hook) {
      check(record.spec.has(Hook.PRE_STOP), "a hook nobody defined");
      check(
          stop.why() != StopReason.RESTART_ALL || cycle.grace().isPositive(),
          "a hook runs in a restart without grace");
    }
  }

  @Override
  protected void restartNode() {
    super.restartNode();
    nodeLives++;
    waits.clear();
    counts.clear();
  }

  /** Counts what really started; called by the runtime. */
  @Override
  protected void ran(SimRecord record) {
    cycleIsSlowed(record);
    lastRun.put(record.container, record.number);
    var runs = started.stream().filter(r -> r.container.equals(record.container)).toList();
    if (runs.size() < 2) {
      return;
    }
    var before = runs.get(runs.size() - 2);
    boolean sameRound = before.epoch == record.epoch && before.sandbox.equals(record.sandbox);
    if (sameRound && !isFree(before)) {
      var key = record.container + record.spec.fingerprint();
      var wait = waits.get(key);
      var next = Duration.ofSeconds(10);
      if (wait != null && !wait.forgotten(before)) {
        next = wait.delay().multipliedBy(2);
      }
      var max = Duration.ofMinutes(5);
      waits.put(key, new Wait(next.compareTo(max) > 0 ? max : next, now));
    }
  }

  /** Of the cycles in one spell of the group only the first is at once (RAC-51, RAC-54). */
  private void cycleIsSlowed(SimRecord record) {
    if (record.epoch <= newestEpoch) {
      return;
    }
    newestEpoch = record.epoch;
    if (!(cycle.cause() instanceof Cause.Exited(var sources))) {
      return;
    }
    if (!spell().equals(removedIn)) {
      return; // a signal has ended the delay; the next cycle is the first of the new spell
    }
    var waited = Duration.between(sources.getFirst().finishedAt(), now);
    boolean again = spell().equals(cycleSpell);
    check(!again || waited.compareTo(Duration.ofSeconds(10)) >= 0, "cycles without a delay");
    cycleSpell = spell();
  }

  private String spell() {
    return nodeLives + " " + (spec.barrier() == BarrierRole.NONE ? "" : group);
  }

  /** The node itself ended it, or was asked to replace it: no back-off (DEC-50, RAC-08). */
  private boolean isFree(SimRecord ended) {
    var single = cycle.singleRestart();
    return ended.stopReason == StopReason.DEFINITION_CHANGED
        || ended.stopReason == StopReason.REQUESTED
        || (single.container().equals(ended.container) && single.run() == ended.number);
  }

  /** Nothing goes wrong any more and time has passed: the pod must be somewhere. */
  void mustBeAtRest() {
    check(isAtRest(), "the pod " + unrest());
  }

  boolean isAtRest() {
    return unrest().isEmpty();
  }

  /** What the pod still has to do; empty when it may stay as it is for ever. */
  private String unrest() {
    var standing = plans.getLast().standing();
    if (!deletion.equals(Deletion.NONE)) {
      return standing == PodPlan.Standing.REMOVABLE ? "" : "is deleted and never goes away";
    }
    if (lastStatus.phase().isTerminal()) {
      return standing == PodPlan.Standing.ENDED ? "" : "ended and never comes to rest";
    }
    if (cycle.state() != RestartCycle.State.IDLE) {
      return "never ends its cycle: " + cycle.state();
    }
    for (var container : spec.containers()) {
      if (running(container.name()).isPresent()) {
        continue;
      }
      var runs = started.stream().filter(r -> r.container.equals(container.name())).toList();
      if (runs.isEmpty()) {
        return "never starts " + container.name();
      }
      var last = runs.getLast();
      var next = Oracle.next(spec.restartPolicy(), last);
      var state = lastStatus.container(container.name()).orElseThrow().state();
      boolean backsOff =
          state instanceof ContainerState.Waiting(String reason, _)
              && reason.equals("CrashLoopBackOff");
      if (next != Oracle.Next.DONE && !(next == Oracle.Next.AGAIN && backsOff)) {
        return "forgets " + container.name() + " after exit " + last.exitCode + " in " + state;
      }
    }
    return "";
  }

  /** The group as the pod's controller would lead it: let the pod through where it stands. */
  boolean groupFollows() {
    if (published.attempt().isEmpty() || group.current().orElse(-1) >= attemptTold()) {
      return false;
    }
    group = GroupOrders.of(published.attempt(), group.previous());
    return true;
  }

  private int attemptTold() {
    return published.attempt().orElse(-1);
  }

  void groupMovesOn() {
    if (group.current().isPresent()) {
      group = GroupOrders.of(group.current(), OptionalInt.of(group.current().getAsInt()));
    }
  }
}
