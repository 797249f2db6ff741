package dev.regroup.rules.pod.plan;

import dev.regroup.rules.ExitRule;
import dev.regroup.rules.RuleGate;
import dev.regroup.rules.group.AgentMind;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.NodeSettings.PodRestartBackOff;
import dev.regroup.rules.pod.PodRestartRequest;
import dev.regroup.rules.pod.RestartCycle;
import dev.regroup.rules.pod.RestartCycle.Cause;
import dev.regroup.rules.pod.RestartCycle.Source;
import dev.regroup.rules.pod.SeenContainer;
import dev.regroup.rules.pod.StopReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Restart of all containers in place (node.md section 4): what triggers it, and phase one, the
 * stopping and removing. Phase two is the ordinary start.
 */
final class RestartAll {
  private final View view;

  RestartAll(View view) {
    this.view = view;
  }

  /** The cycle that is due, begun; empty when there is no trigger (RAC-01). */
  Optional<RestartCycle> due() {
    return cause().map(this::begun);
  }

  /** Whether a cycle is due. */
  boolean triggered() {
    return cause().isPresent();
  }

  private Optional<Cause> cause() {
    var sources = sources();
    if (!sources.isEmpty()) {
      return Optional.of(new Cause.Exited(sources));
    }
    if (NodeBarrier.of(view) instanceof AgentMind.Restart(int from, int to)) {
      return Optional.of(new Cause.GroupOrder(from, to));
    }
    return request().map(r -> new Cause.Requested(r.id(), r.reason()));
  }

  /** Regular sources before init sources, in list order (CND-11). */
  private List<Source> sources() {
    var sources = new ArrayList<Source>();
    for (var spec : view.regularFirst) {
      var record = view.current(spec);
      if (record.isEmpty() || !record.get().hasExited() || stoppedByPod(record.get())) {
        continue;
      }
      if (view.verdict(spec, record.get()) instanceof Verdict.RestartAll(_, int index)) {
        var end = record.get();
        sources.add(new Source(spec.name(), end.exitCode(), end.finishedAt(), index));
      }
    }
    return sources;
  }

  /** Kills of the cycle itself and of the pod's end are no triggers (RAC-04). */
  private static boolean stoppedByPod(SeenContainer record) {
    return record.stopReason() == StopReason.RESTART_ALL
        || record.stopReason() == StopReason.POD_END;
  }

  /** A request for the whole pod that was not served yet (RAC-08). */
  private Optional<PodRestartRequest.Asked> request() {
    if (view.seen.request() instanceof PodRestartRequest.Asked asked
        && asked.container().isEmpty()
        && !asked.id().equals(view.cycle.requestId())) {
      return Optional.of(asked);
    }
    return Optional.empty();
  }

  private RestartCycle begun(Cause cause) {
    var request = request();
    var keep = keep(cause);
    var grace = grace(cause);
    if (request.isPresent() && request.get().grace().compareTo(grace) > 0) {
      grace = request.get().grace();
    }
    return view.cycle.begun(
        cause,
        view.now,
        keep,
        grace,
        request.map(PodRestartRequest.Asked::id).orElse(view.cycle.requestId()),
        NodeBarrier.floor(view),
        Counts.carry(view, victims(keep), Events.why(cause)));
  }

  /** Sidecars that every source wants kept and that are no source themselves (ACT-07). */
  private Set<String> keep(Cause cause) {
    if (!(cause instanceof Cause.Exited(var sources)) || !view.gate(RuleGate.EXTENDED_RULES)) {
      return Set.of();
    }
    var keep = new HashSet<String>();
    view.spec.ofKind(ContainerKind.SIDECAR).forEach(c -> keep.add(c.name()));
    for (var source : sources) {
      keep.retainAll(rule(source).keep());
      keep.remove(source.container());
    }
    return keep;
  }

  /** The largest grace any source's rule gives (RAC-14). */
  private Duration grace(Cause cause) {
    var grace = Duration.ZERO;
    if (!(cause instanceof Cause.Exited(var sources)) || !view.gate(RuleGate.EXTENDED_RULES)) {
      return grace;
    }
    for (var source : sources) {
      var own = rule(source).grace();
      grace = own.compareTo(grace) > 0 ? own : grace;
    }
    return grace;
  }

  private ExitRule rule(Source source) {
    return view.container(source.container()).orElseThrow().rules().get(source.rule());
  }

  /** Whether anything the cycle removes still runs. */
  boolean anythingUp() {
    return victims().stream().flatMap(c -> view.records(c).stream()).anyMatch(View::isUp);
  }

  /** Phase one while something runs: stop it, all at once or in the order a grace asks for. */
  void stop(Draft draft) {
    new DueStops(view, draft)
        .inOrder(victims(), StopReason.RESTART_ALL, view.cycle.begunAt(), view.cycle.grace());
  }

  /** The end of phase one: remove every record, sources last, then the next epoch (RAC-12). */
  RestartCycle remove(Draft draft) {
    var sources = new ArrayList<ContainerId>();
    var others = new ArrayList<ContainerId>();
    for (var spec : view.regularFirst) {
      if (view.cycle.keep().contains(spec.name())) {
        continue;
      }
      var ids = isSource(spec) ? sources : others;
      view.records(spec).forEach(r -> ids.add(r.id()));
    }
    Stream.of(others, sources)
        .filter(ids -> !ids.isEmpty())
        .forEach(ids -> draft.add(new Effect.Remove(ids)));
    var ended = view.cycle.ended(Counts.withRealEnds(view, victims()));
    draft.add(new Effect.Remember(ended));
    return ended;
  }

  private boolean isSource(ContainerSpec spec) {
    return view.cycle.cause() instanceof Cause.Exited(var sources)
        && sources.stream().anyMatch(s -> s.container().equals(spec.name()));
  }

  /** What the cycle stops and removes: all but kept sidecars and ephemeral containers. */
  private List<ContainerSpec> victims() {
    return victims(view.cycle.keep());
  }

  private List<ContainerSpec> victims(Set<String> keep) {
    var victims = new ArrayList<ContainerSpec>();
    for (var spec : view.spec.containers()) {
      if (spec.kind() != ContainerKind.EPHEMERAL && !keep.contains(spec.name())) {
        victims.add(spec);
      }
    }
    return victims;
  }

  /** Whether phase two has begun: some container of the new epoch exists. */
  boolean startBegun() {
    return victims().stream().anyMatch(c -> view.current(c).isPresent());
  }

  /** Whether every regular container has been started in this epoch (RAC-24). */
  boolean allStarted() {
    return view.regular.stream()
        .allMatch(c -> view.here(c).filter(RestartAll::hasStarted).isPresent());
  }

  private static boolean hasStarted(SeenContainer record) {
    return record.state() == SeenContainer.State.RUNNING
        || record.state() == SeenContainer.State.EXITED;
  }

  /** Asks the pod's back-off before phase two of this epoch; only exits are slowed (RAC-51). */
  Optional<ContainerBackOff.Due> backOff(ContainerBackOff backOff, int epoch) {
    boolean slowed = view.settings.podRestartBackOff() == PodRestartBackOff.ON;
    if (!slowed || !(view.cycle.cause() instanceof Cause.Exited(var sources))) {
      return Optional.empty();
    }
    return Optional.of(backOff.ask(podKey(view), epoch, sources.getFirst().finishedAt()));
  }

  /** No container can have this name. */
  static ContainerBackOff.Key podKey(View view) {
    return new ContainerBackOff.Key("", GroupSpell.of(view));
  }
}
