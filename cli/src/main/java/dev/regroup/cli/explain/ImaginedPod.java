package dev.regroup.cli.explain;

import dev.regroup.rules.Exit;
import dev.regroup.rules.group.GroupOrders;
import dev.regroup.rules.pod.BackOffMemory;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.NodeSettings;
import dev.regroup.rules.pod.Observed;
import dev.regroup.rules.pod.Phase;
import dev.regroup.rules.pod.PodRestartRequest;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.PodStatus;
import dev.regroup.rules.pod.ProbeKind;
import dev.regroup.rules.pod.RestartCycle;
import dev.regroup.rules.pod.SeenContainer;
import dev.regroup.rules.pod.SeenContainer.HookState;
import dev.regroup.rules.pod.SeenContainer.ProbeResult;
import dev.regroup.rules.pod.SeenContainer.State;
import dev.regroup.rules.pod.SeenContainer.StopProgress;
import dev.regroup.rules.pod.StopReason;
import dev.regroup.rules.pod.plan.PodLifecycle.Stage;
import dev.regroup.rules.pod.plan.PodPlan;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A pod that runs well until one container exits. The node's planner is asked what it would do, up
 * to three times: after the exit, after the others were stopped (if the pod ends), and after the
 * others ended well (if it goes on).
 */
final class ImaginedPod {

  private static final Instant STARTED = Instant.ofEpochSecond(1_000);
  private static final Instant EXITED = Instant.ofEpochSecond(2_000);
  private static final Instant LATER = Instant.ofEpochSecond(3_000);
  private static final int SIGTERM_CODE = 143;
  private static final Observed.Sandbox SANDBOX =
      new Observed.Sandbox(Observed.Sandbox.State.READY, "sandbox", "10.0.0.1");

  private final PodSpec spec;
  private final NodeSettings settings;

  ImaginedPod(PodSpec spec, NodeSettings settings) {
    // What the group says is asked elsewhere; here the barrier would only hide the start.
    this.spec = spec.withBarrier(PodSpec.BarrierRole.NONE, spec.agentContainer());
    this.settings = settings;
  }

  PodOutcome after(ContainerSpec container, Exit exit) {
    var records = records(container, exit);
    var plan = plan(records, SANDBOX, PodStatus.NONE, EXITED);
    if (plan.step().to() == Stage.TERMINATING) {
      return new PodOutcome(
          PodOutcome.Kind.RESTART_ALL, Phase.RUNNING, records.size(), false, List.of());
    }
    if (plan.step().to() == Stage.ENDING) {
      return ended(container, records, plan.status());
    }
    for (Effect effect : plan.effects()) {
      if (effect instanceof Effect.Start start) {
        boolean same = start.container().equals(container.name());
        var kind = same ? PodOutcome.Kind.RESTART_CONTAINER : PodOutcome.Kind.NEXT_STARTS;
        return new PodOutcome(kind, Phase.RUNNING, same ? 1 : 0, false, List.of());
      }
    }
    return goesOn(records);
  }

  private PodOutcome ended(ContainerSpec container, List<SeenContainer> records, PodStatus status) {
    var last = plan(ended(records, SIGTERM_CODE, StopReason.POD_END), status);
    return new PodOutcome(
        PodOutcome.Kind.POD_ENDS,
        last.phase(),
        0,
        last.reason().equals(PodStatus.ON_COMPLETION)
            && container.onCompletion() == ContainerSpec.OnCompletion.TERMINATE_POD,
        last.containers());
  }

  /** The best the others can do is to end well; it shows whether this exit decides the result. */
  private PodOutcome goesOn(List<SeenContainer> records) {
    var others = ended(records, 0, StopReason.NONE);
    var plan = plan(others, SANDBOX, PodStatus.NONE, LATER);
    boolean ends = plan.step().to() == Stage.ENDING;
    var last = ends ? plan(others, plan.status()) : PodStatus.NONE;
    return new PodOutcome(
        PodOutcome.Kind.CONTAINER_ENDS,
        ends ? last.phase() : Phase.RUNNING,
        0,
        false,
        last.containers());
  }

  private PodStatus plan(List<SeenContainer> records, PodStatus previous) {
    return plan(records, Observed.Sandbox.NONE, previous, LATER).status();
  }

  private PodPlan plan(
      List<SeenContainer> records, Observed.Sandbox sandbox, PodStatus previous, Instant now) {
    var seen =
        new Observed(
            RestartCycle.FIRST,
            sandbox,
            records,
            Map.of(),
            Map.of(),
            previous,
            BackOffMemory.EMPTY,
            GroupOrders.UNKNOWN,
            PodRestartRequest.NONE,
            Observed.Deletion.NONE,
            Observed.ForcedEnd.NONE,
            STARTED,
            Map.of());
    return PodPlan.plan(spec, seen, settings, now);
  }

  /**
   * What the runtime shows: entries before an init container are done, those after it not begun.
   */
  private List<SeenContainer> records(ContainerSpec exited, Exit exit) {
    var records = new ArrayList<SeenContainer>();
    for (ContainerSpec container : spec.containers()) {
      if (container.name().equals(exited.name())) {
        records.add(record(container, State.EXITED, exit.code(), exit.restarts(), reason(exit)));
        if (container.kind() == ContainerKind.INIT) {
          return records;
        }
      } else if (container.kind() == ContainerKind.INIT) {
        records.add(record(container, State.EXITED, 0, 0, ""));
      } else if (container.kind() != ContainerKind.EPHEMERAL) {
        records.add(record(container, State.RUNNING, 0, 0, ""));
      }
    }
    return records;
  }

  private static String reason(Exit exit) {
    return switch (exit.cause()) {
      case ORDINARY -> "";
      case OUT_OF_MEMORY -> SeenContainer.OOM_KILLED;
    };
  }

  private static List<SeenContainer> ended(List<SeenContainer> records, int code, StopReason why) {
    return records.stream().map(r -> r.isRunning() ? ended(r, code, why) : r).toList();
  }

  private static SeenContainer ended(SeenContainer record, int code, StopReason why) {
    return new SeenContainer(
        record.id(),
        record.container(),
        record.run(),
        record.epoch(),
        record.sandbox(),
        record.image(),
        record.fingerprint(),
        State.EXITED,
        record.createdAt(),
        record.startedAt(),
        LATER,
        code,
        "",
        "",
        why,
        StopProgress.NONE,
        HookState.NONE,
        record.probes());
  }

  private static SeenContainer record(
      ContainerSpec container, State state, int code, int attempt, String reason) {
    var probes = new HashMap<ProbeKind, ProbeResult>();
    container.probes().keySet().forEach(kind -> probes.put(kind, ProbeResult.SUCCESS));
    return new SeenContainer(
        new ContainerId(container.name()),
        container.name(),
        attempt,
        0,
        SANDBOX.id(),
        container.image(),
        container.fingerprint(),
        state,
        STARTED,
        STARTED,
        state == State.EXITED ? EXITED : Instant.EPOCH,
        code,
        reason,
        "",
        StopReason.NONE,
        StopProgress.NONE,
        HookState.NONE,
        probes);
  }
}
