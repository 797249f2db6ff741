package dev.regroup.rules.pod.plan;

import dev.regroup.rules.ExitDecision;
import dev.regroup.rules.RuleGate;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.NodeSettings;
import dev.regroup.rules.pod.Observed;
import dev.regroup.rules.pod.PodCondition;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.RestartCycle;
import dev.regroup.rules.pod.RestartCycle.State;
import dev.regroup.rules.pod.SeenContainer;
import dev.regroup.rules.pod.StopReason;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One observation with the questions every part of the plan asks of it. Lives for one call of the
 * planner.
 */
public final class View {
  private static final Comparator<SeenContainer> NEWEST_FIRST =
      Comparator.comparingInt(SeenContainer::run)
          .thenComparing(SeenContainer::createdAt)
          .reversed();

  final PodSpec spec;
  final Observed seen;
  final NodeSettings settings;
  final Instant now;
  final RestartCycle cycle;
  final List<ContainerSpec> regular;
  final List<ContainerSpec> initEntries;
  final List<ContainerSpec> regularFirst;
  private final Map<String, List<SeenContainer>> byName = new HashMap<>();
  private final Map<ContainerId, Verdict> verdicts = new HashMap<>();

  View(PodSpec spec, Observed seen, NodeSettings settings, Instant now) {
    this(spec, seen, settings, now, known(seen));
  }

  private View(
      PodSpec spec, Observed seen, NodeSettings settings, Instant now, RestartCycle cycle) {
    this.spec = spec;
    this.seen = seen;
    this.settings = settings;
    this.now = now;
    this.cycle = cycle;
    this.regular = spec.regular();
    this.initEntries = spec.initEntries();
    this.regularFirst = new ArrayList<>(regular);
    this.regularFirst.addAll(initEntries);
    for (var record : seen.records()) {
      byName.computeIfAbsent(record.container(), _ -> new ArrayList<>()).add(record);
    }
    byName.values().forEach(records -> records.sort(NEWEST_FIRST));
  }

  /** The same observation as if this cycle had been remembered already. */
  View with(RestartCycle cycle) {
    return new View(spec, seen, settings, now, cycle);
  }

  /**
   * The cycle that counts. A lost record is replaced by what the containers carry; only when they
   * carry nothing is the API's condition believed (RAC-07).
   */
  private static RestartCycle known(Observed seen) {
    if (!seen.cycle().equals(RestartCycle.FIRST)) {
      return seen.cycle();
    }
    int epoch = seen.records().stream().mapToInt(SeenContainer::epoch).max().orElse(-1);
    if (epoch >= 0) {
      return RestartCycle.FIRST.atEpoch(epoch);
    }
    boolean restarting =
        seen.previous().isTrue(PodCondition.Type.ALL_CONTAINERS_RESTARTING)
            || seen.previous().isTrue(PodCondition.Type.POD_RESTART_IN_PLACE);
    return restarting ? RestartCycle.FIRST.interrupted() : RestartCycle.FIRST;
  }

  boolean gate(RuleGate gate) {
    return settings.gates().contains(gate);
  }

  /** All runs of a container, newest first. */
  List<SeenContainer> records(ContainerSpec container) {
    return byName.getOrDefault(container.name(), List.of());
  }

  /** The newest run; decisions look at no other (DEC-01). */
  Optional<SeenContainer> newest(ContainerSpec container) {
    var all = records(container);
    return all.isEmpty() ? Optional.empty() : Optional.of(all.getFirst());
  }

  /** The newest run if it belongs to the current restart epoch (RAC-06). */
  Optional<SeenContainer> current(ContainerSpec container) {
    return newest(container).filter(r -> inEpoch(container, r));
  }

  /** The newest run if it also lives in the sandbox that is there now (SEQ-07). */
  Optional<SeenContainer> here(ContainerSpec container) {
    return current(container).filter(r -> r.sandbox().equals(seen.sandbox().id()));
  }

  /** Whether the run was made in the current restart epoch. */
  boolean madeInEpoch(SeenContainer record) {
    return record.epoch() == cycle.epoch() || record.epoch() < 0;
  }

  boolean inEpoch(ContainerSpec container, SeenContainer record) {
    return madeInEpoch(record)
        || container.kind() == ContainerKind.EPHEMERAL
        || cycle.keep().contains(container.name()); // never restarted by the cycle (ACT-07)
  }

  /** The end of a run, judged. */
  Verdict verdict(ContainerSpec container, SeenContainer record) {
    if (isSingleRestart(container, record) || lostInPhaseTwo(container, record)) {
      return new Verdict.Again(Verdict.Delay.NONE);
    }
    return verdicts.computeIfAbsent(
        record.id(),
        _ ->
            Verdict.of(
                settings.gates(), spec.restartPolicy(), container, record, first(container)));
  }

  /** What the rules say about the end of an attempt, whatever the kind of its container. */
  ExitDecision decision(ContainerSpec container, SeenContainer record) {
    var exit = Verdict.exitOf(container, record, first(container));
    return Verdict.decision(settings.gates(), spec.restartPolicy(), container, exit);
  }

  /** RAC-73: phase two is not over until everything ran in a sandbox that is still there. */
  boolean lostInPhaseTwo(ContainerSpec container, SeenContainer record) {
    return cycle.state() == State.STARTING
        && !ends()
        && container.kind() != ContainerKind.EPHEMERAL
        && !(seen.sandbox().isReady() && record.sandbox().equals(seen.sandbox().id()));
  }

  /** The verdict on the newest run of the current epoch, if that has exited. */
  Optional<Verdict> verdict(ContainerSpec container) {
    return current(container).filter(SeenContainer::hasExited).map(r -> verdict(container, r));
  }

  /** Whether a request wants exactly this run replaced (RAC-08). */
  boolean isSingleRestart(ContainerSpec container, SeenContainer record) {
    var single = cycle.singleRestart();
    return single.container().equals(container.name()) && single.run() == record.run();
  }

  private int first(ContainerSpec container) {
    var carried = cycle.carried().get(container.name());
    return carried == null ? 0 : carried.next();
  }

  /** SEQ-07: a regular container in this sandbox means every init container is done. */
  boolean initialized() {
    for (var container : regular) {
      if (here(container).isPresent()) {
        return true;
      }
    }
    return false;
  }

  /** Whether a process of this run may be alive. */
  public static boolean isUp(SeenContainer record) {
    return record.isRunning();
  }

  boolean nothingUp() {
    for (var record : seen.records()) {
      if (isUp(record)) {
        return false;
      }
    }
    return true;
  }

  boolean restarting() {
    return cycle.state() != State.IDLE;
  }

  Optional<ContainerSpec> container(String name) {
    return spec.containers().stream().filter(c -> c.name().equals(name)).findFirst();
  }

  /** Whether the pod is on its way out, so that nothing starts again (DEC-03). */
  private boolean ends() {
    return seen.deletion() instanceof Observed.Deletion.Asked
        || endingBegun()
        || seen.previous().phase().isTerminal();
  }

  boolean endingBegun() {
    return seen.records().stream().anyMatch(r -> r.stopReason() == StopReason.POD_END);
  }
}
