package dev.regroup.rules.pod.plan;

import dev.regroup.rules.pod.BackOffMemory;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.Observed;
import dev.regroup.rules.pod.Observed.Sandbox;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.PodStatus;
import dev.regroup.rules.pod.RestartCycle;
import dev.regroup.rules.pod.SeenContainer;
import dev.regroup.rules.pod.StopReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.UnaryOperator;

/**
 * Bugs somebody could make, planted around the real planner: in what it sees or in what it plans.
 * The worlds must find each of them.
 */
@SuppressWarnings("ImmutableEnumChecker") // functions without state
enum Bugs {
  CYCLE_NOT_REMEMBERED(real ->
      (spec, seen, settings, now) ->
          withEffects(
              real.plan(spec, seen, settings, now), effects -> effects.removeIf(e -> begins(e)))),
  REMEMBERED_AFTER_THE_FIRST_KILL(real ->
      (spec, seen, settings, now) ->
          withEffects(
              real.plan(spec, seen, settings, now),
              effects -> {
                if (effects.removeIf(Bugs::begins)) {
                  seen.records().stream()
                      .filter(View::isUp)
                      .forEach(r ->
                          effects.add(
                              new Effect.Signal(
                                  r.id(),
                                  r.container(),
                                  StopReason.RESTART_ALL,
                                  DueStops.MINIMUM)));
                }
              })),
  NEXT_EPOCH_BEFORE_REMOVAL(real ->
      (spec, seen, settings, now) ->
          withEffects(
              real.plan(spec, seen, settings, now),
              effects -> {
                if (effects.stream().anyMatch(Bugs::ends)) {
                  effects.sort((a, b) -> Boolean.compare(ends(b), ends(a)));
                }
              })),
  SAME_EPOCH_AGAIN(real ->
      (spec, seen, settings, now) ->
          withEffects(
              real.plan(spec, seen, settings, now),
              effects ->
                  effects.replaceAll(e ->
                      e instanceof Effect.Remember(var cycle) && ends(e)
                          ? new Effect.Remember(cycle.atEpoch(cycle.epoch() - 1))
                          : e))),
  COUNTS_FORGOTTEN(real ->
      (spec, seen, settings, now) ->
          withEffects(
              real.plan(spec, seen, settings, now),
              effects ->
                  effects.replaceAll(e ->
                      e instanceof Effect.Remember(var cycle)
                          ? new Effect.Remember(cycle.inNewSandbox(cycle.attemptFloor(), Map.of()))
                          : e))),
  COUNTED_TWICE(real ->
      (spec, seen, settings, now) ->
          withEffects(
              real.plan(spec, seen, settings, now),
              effects ->
                  effects.replaceAll(e ->
                      e instanceof Effect.Start(var name, int n, int epoch) && n > 0
                          ? new Effect.Start(name, n + 1, epoch)
                          : e))),
  SOURCES_REMOVED_FIRST(real ->
      (spec, seen, settings, now) ->
          withEffects(
              real.plan(spec, seen, settings, now),
              effects -> {
                int first = firstRemove(effects);
                boolean two =
                    first >= 0
                        && first + 1 < effects.size()
                        && effects.get(first + 1) instanceof Effect.Remove;
                if (two) {
                  effects.add(first, effects.remove(first + 1));
                }
              })),
  VICTIMS_END_IS_A_TRIGGER(real ->
      (spec, seen, settings, now) ->
          real.plan(spec, withRecords(seen, Bugs::forgetStop), settings, now)),
  NOT_STOPPED_BEFORE_REMOVAL(real ->
      (spec, seen, settings, now) ->
          withEffects(
              real.plan(spec, seen, settings, now),
              effects ->
                  effects.replaceAll(e ->
                      e instanceof Effect.Signal(var id, _, var why, _)
                              && why == StopReason.RESTART_ALL
                          ? new Effect.Remove(List.of(id))
                          : e))),
  BACK_OFF_FORGOTTEN(real ->
      (spec, seen, settings, now) -> {
        var plan = real.plan(spec, seen, settings, now);
        return new PodPlan(
            plan.effects(),
            plan.status(),
            plan.wakeUp(),
            BackOffMemory.EMPTY,
            plan.standing(),
            plan.step());
      }),
  NEVER_WAKES_UP(real ->
      (spec, seen, settings, now) -> {
        var plan = real.plan(spec, seen, settings, now);
        return new PodPlan(
            plan.effects(),
            plan.status(),
            Instant.MAX,
            plan.backOff(),
            plan.standing(),
            plan.step());
      }),
  BARRIER_IGNORED(real ->
      (spec, seen, settings, now) ->
          real.plan(spec.withBarrier(PodSpec.BarrierRole.OTHER_AGENT, ""), seen, settings, now)),
  ATTEMPT_TOLD_BEFORE_IT_IS_DURABLE(real ->
      (spec, seen, settings, now) -> {
        var plan = real.plan(spec, seen, settings, now);
        var told = plan.status().attempt();
        for (var effect : plan.effects()) {
          if (effect instanceof Effect.Remember(var cycle)) {
            told = cycle.attempt();
          }
        }
        return withStatus(plan, plan.status().phase(), told);
      }),
  INIT_DONE_ONCE_AND_FOR_ALL(real ->
      (spec, seen, settings, now) ->
          withEffects(
              real.plan(spec, seen, settings, now),
              effects -> {
                boolean starts = effects.stream().anyMatch(e -> isStartOf(spec, e));
                if (seen.cycle().epoch() > 0 && starts) {
                  effects.removeIf(e -> isStartOf(spec, e));
                  var first = spec.regular().getFirst();
                  effects.add(new Effect.Start(first.name(), 1, seen.cycle().epoch()));
                }
              })),
  ENDED_POD_COMES_BACK(real ->
      (spec, seen, settings, now) -> {
        var plan = real.plan(spec, seen, settings, now);
        boolean back = seen.previous().phase() == Phase.FAILED;
        return back ? withStatus(plan, Phase.RUNNING, plan.status().attempt()) : plan;
      }),
  TERMINAL_TOO_EARLY(real ->
      (spec, seen, settings, now) -> {
        var plan = real.plan(spec, seen, settings, now);
        boolean ending = plan.step().to() == PodLifecycle.Stage.ENDING;
        return ending ? withStatus(plan, Phase.FAILED, plan.status().attempt()) : plan;
      }),
  SIDECARS_STOPPED_AT_ONCE(real ->
      (spec, seen, settings, now) ->
          withEffects(
              real.plan(spec, seen, settings, now),
              effects ->
                  effects.replaceAll(e ->
                      e instanceof Effect.BeginStop(var id, var name, var why, _, var end)
                              && end.isAfter(now.plusSeconds(3))
                          ? new Effect.Signal(id, name, why, java.time.Duration.between(now, end))
                          : e))),
  KEPT_SIDECARS_RESTARTED(real ->
      (spec, seen, settings, now) ->
          withEffects(
              real.plan(spec, seen, settings, now),
              effects -> {
                if (seen.cycle().terminating()) {
                  seen.records().stream()
                      .filter(r -> seen.cycle().keep().contains(r.container()))
                      .filter(View::isUp)
                      .forEach(r ->
                          effects.add(
                              new Effect.Signal(
                                  r.id(),
                                  r.container(),
                                  StopReason.RESTART_ALL,
                                  DueStops.MINIMUM)));
                }
              })),
  LOST_CONTAINER_TAKEN_FOR_RUNNING(real ->
      (spec, seen, settings, now) ->
          real.plan(spec, withRecords(seen, Bugs::believeAlive), settings, now)),
  LOST_SANDBOX_NOT_NOTICED(real ->
      (spec, seen, settings, now) ->
          real.plan(
              spec,
              seen.sandbox().state() == Sandbox.State.LOST
                  ? withSandbox(
                      seen, new Sandbox(Sandbox.State.READY, seen.sandbox().id(), "10.0.0.1"))
                  : seen,
              settings,
              now));

  final UnaryOperator<SimNode.PlanFunction> plant;

  Bugs(UnaryOperator<SimNode.PlanFunction> plant) {
    this.plant = plant;
  }

  private static boolean begins(Effect effect) {
    return effect instanceof Effect.Remember(var cycle) && cycle.terminating();
  }

  private static boolean ends(Effect effect) {
    return effect instanceof Effect.Remember(var cycle)
        && cycle.state() == RestartCycle.State.STARTING
        && cycle.attempt().isEmpty();
  }

  private static boolean isStartOf(PodSpec spec, Effect effect) {
    return effect instanceof Effect.Start(var name, _, _)
        && spec.ofKind(ContainerKind.INIT).stream().anyMatch(c -> c.name().equals(name));
  }

  private static int firstRemove(List<Effect> effects) {
    for (int index = 0; index < effects.size(); index++) {
      if (effects.get(index) instanceof Effect.Remove) {
        return index;
      }
    }
    return -1;
  }

  private interface Change {
    void to(List<Effect> effects);
  }

  private static PodPlan withEffects(PodPlan plan, Change change) {
    var effects = new ArrayList<>(plan.effects());
    change.to(effects);
    return new PodPlan(
        effects, plan.status(), plan.wakeUp(), plan.backOff(), plan.standing(), plan.step());
  }

  private static PodPlan withStatus(PodPlan plan, Phase phase, OptionalInt attempt) {
    var status = plan.status();
    return new PodPlan(
        plan.effects(),
        new PodStatus(
            phase,
            status.reason(),
            status.message(),
            status.conditions(),
            status.containers(),
            attempt),
        plan.wakeUp(),
        plan.backOff(),
        plan.standing(),
        plan.step());
  }

  private static SeenContainer forgetStop(SeenContainer r) {
    return new SeenContainer(
        r.id(),
        r.container(),
        r.run(),
        r.epoch(),
        r.sandbox(),
        r.image(),
        r.fingerprint(),
        r.state(),
        r.createdAt(),
        r.startedAt(),
        r.finishedAt(),
        r.exitCode(),
        r.reason(),
        r.message(),
        r.hasExited() ? StopReason.NONE : r.stopReason(),
        r.stop(),
        r.postStart(),
        r.probes());
  }

  private static SeenContainer believeAlive(SeenContainer r) {
    return !r.reason().equals(SeenContainer.LOST_REASON)
        ? r
        : new SeenContainer(
            r.id(),
            r.container(),
            r.run(),
            r.epoch(),
            r.sandbox(),
            r.image(),
            r.fingerprint(),
            SeenContainer.State.RUNNING,
            r.createdAt(),
            r.startedAt(),
            Instant.EPOCH,
            0,
            "",
            "",
            r.stopReason(),
            r.stop(),
            r.postStart(),
            r.probes());
  }

  private static Observed withRecords(Observed seen, UnaryOperator<SeenContainer> change) {
    return new Observed(
        seen.cycle(),
        seen.sandbox(),
        seen.records().stream().map(change).toList(),
        seen.startFailures(),
        seen.lastRuns(),
        seen.previous(),
        seen.backOff(),
        seen.group(),
        seen.request(),
        seen.deletion(),
        seen.forcedEnd(),
        seen.startTime(),
        seen.conditions());
  }

  private static Observed withSandbox(Observed seen, Sandbox sandbox) {
    return new Observed(
        seen.cycle(),
        sandbox,
        seen.records(),
        seen.startFailures(),
        seen.lastRuns(),
        seen.previous(),
        seen.backOff(),
        seen.group(),
        seen.request(),
        seen.deletion(),
        seen.forcedEnd(),
        seen.startTime(),
        seen.conditions());
  }
}
