package dev.regroup.rules.pod.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.rules.RuleGate;
import dev.regroup.rules.group.GroupOrders;
import dev.regroup.rules.pod.BackOffMemory;
import dev.regroup.rules.pod.ContainerId;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.ContainerStatus;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.NodeSettings;
import dev.regroup.rules.pod.Observed;
import dev.regroup.rules.pod.Observed.Deletion;
import dev.regroup.rules.pod.Observed.ForcedEnd;
import dev.regroup.rules.pod.Observed.Sandbox;
import dev.regroup.rules.pod.Observed.StartFailure;
import dev.regroup.rules.pod.PodCondition;
import dev.regroup.rules.pod.PodEvent;
import dev.regroup.rules.pod.PodRestartRequest;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.PodStatus;
import dev.regroup.rules.pod.RestartCycle;
import dev.regroup.rules.pod.SeenContainer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * A node with one pod, in virtual time: looks, plans, publishes, performs, waits, as the real one
 * does. Faults come in through {@link #chaos}.
 */
public class SimNode {
  public static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

  /** Thrown to stand for a failed effect or a crash of the node. */
  public static final class Fault extends RuntimeException {
    private static final long serialVersionUID = 1;
    final boolean crash;

    public Fault(boolean crash) {
      super(crash ? "crash" : "failed effect", null, false, false);
      this.crash = crash;
    }
  }

  /** Called before and after each effect; may throw a {@link Fault}. */
  public interface Chaos {
    void at(Effect effect, boolean before);
  }

  /** The planner under test; wrapped to plant bugs. */
  public interface PlanFunction {
    PodPlan plan(PodSpec spec, Observed seen, NodeSettings settings, Instant now);
  }

  public PodSpec spec;
  public NodeSettings settings = NodeSettings.product();
  final Map<String, Script> scripts = new HashMap<>();
  public PlanFunction planner = PodPlan::plan;
  Chaos chaos = (effect, before) -> {};
  Function<Effect.Start, Optional<StartFailure>> startFails = start -> Optional.empty();

  // What survives a crash of the node.
  public RestartCycle cycle = RestartCycle.FIRST;
  public Sandbox sandbox = Sandbox.NONE;
  public final Map<ContainerId, SimRecord> records = new LinkedHashMap<>();
  public PodStatus published = PodStatus.NONE;
  boolean apiReachable = true;

  // What does not.
  protected PodStatus lastStatus = PodStatus.NONE;
  BackOffMemory backOff = BackOffMemory.EMPTY;
  final Map<String, StartFailure> startFailures = new HashMap<>();

  // What others say.
  public GroupOrders group = GroupOrders.UNKNOWN;
  public PodRestartRequest request = PodRestartRequest.NONE;
  public Deletion deletion = Deletion.NONE;
  ForcedEnd forcedEnd = ForcedEnd.NONE;
  Map<String, String> conditions = Map.of();

  // What happened.
  public Instant now = START;
  public final List<PodStatus> history = new ArrayList<>();
  public final List<PodPlan> plans = new ArrayList<>();
  final List<PodEvent> events = new ArrayList<>();
  public final List<Effect> done = new ArrayList<>();
  public final List<SimRecord> started = new ArrayList<>();
  public int sandboxes;
  private int looksWithoutTime;

  protected SimNode(PodSpec spec) {
    this.spec = spec;
  }

  /** Goes on with this gate off; the rest as in the product. */
  void switchOff(RuleGate gate) {
    var product = NodeSettings.product();
    var gates = EnumSet.allOf(RuleGate.class);
    gates.remove(gate);
    settings =
        new NodeSettings(
            gates,
            product.podRestartBackOff(),
            product.phaseDuringRestart(),
            product.conditionNames(),
            product.backOffInitial(),
            product.backOffMax());
  }

  protected Observed observe() {
    for (var record : records.values()) {
      record.advance(now);
    }
    return new Observed(
        cycle,
        sandbox,
        records.values().stream().map(SimRecord::seen).toList(),
        startFailures,
        Map.of(),
        lastStatus,
        backOff,
        group,
        request,
        deletion,
        forcedEnd,
        START,
        conditions);
  }

  /** One look. Returns when to look again; the present when effects were performed. */
  Instant look() {
    if (++looksWithoutTime > 200) {
      throw new AssertionError("the plan never rests; last effects: " + plans.getLast().effects());
    }
    var plan = decide();
    try {
      for (var effect : plan.effects()) {
        chaos.at(effect, true);
        perform(effect);
        done.add(effect);
        chaos.at(effect, false);
      }
    } catch (Fault fault) {
      if (fault.crash) {
        restartNode();
      }
      return now.plusMillis(100);
    }
    return plan.effects().isEmpty() ? plan.wakeUp() : now;
  }

  /** The first half of a look: what is to be done now. Its status is published. */
  protected PodPlan decide() {
    var plan = planner.plan(spec, observe(), settings, now);
    plans.add(plan);
    backOff = plan.backOff();
    lastStatus = plan.status();
    history.add(plan.status());
    publish(plan.status());
    afterPlan(plan);
    return plan;
  }

  /** The API server has the status at once, as long as it can be reached. */
  protected void publish(PodStatus status) {
    if (apiReachable) {
      published = status;
    }
  }

  /** For invariants. */
  protected void afterPlan(PodPlan plan) {}

  /** For invariants. */
  protected void ran(SimRecord record) {}

  /** The node dies and comes back: memory is gone, processes are not. */
  protected void restartNode() {
    lastStatus = published;
    backOff = BackOffMemory.EMPTY;
    startFailures.clear();
    records.values().forEach(SimRecord::nodeRestarts);
  }

  /** The machine dies and comes back: no process, no sandbox, and nobody saw how they ended. */
  protected void reboot() {
    records.values().forEach(this::lose);
    loseSandbox();
    restartNode();
  }

  /** The supervisor of one container is killed; the runtime says what it can (SEQ-25a). */
  protected void lose(SimRecord record) {
    record.advance(now);
    if (record.up()) {
      record.exit(137, SeenContainer.LOST_REASON, now);
    }
  }

  /** The sandbox's process is killed; its containers run on in what is left of it. */
  protected void loseSandbox() {
    if (sandbox.isReady()) {
      sandbox = new Sandbox(Sandbox.State.LOST, sandbox.id(), sandbox.ip());
    }
  }

  protected void perform(Effect effect) {
    switch (effect) {
      case Effect.Remember(RestartCycle next) -> cycle = next;
      case Effect.CreateSandbox() -> {
        sandboxes++;
        sandbox = new Sandbox(Sandbox.State.READY, "sandbox-" + sandboxes, "10.0.0.1");
      }
      case Effect.Start start -> start(start);
      case Effect.BeginStop stop -> find(stop.id()).ifPresent(r -> r.beginStop(stop, now));
      case Effect.Signal signal -> find(signal.id()).ifPresent(r -> r.signal(signal, now));
      case Effect.Remove(List<ContainerId> ids) -> ids.forEach(records::remove);
      case Effect.StopSandbox _, Effect.KillSandbox _ -> {
        records.values().stream().filter(SimRecord::up).forEach(r -> r.exit(137, "", now));
        sandbox = Sandbox.NONE;
      }
      case Effect.Emit(PodEvent event) -> events.add(event);
    }
  }

  private Optional<SimRecord> find(ContainerId id) {
    return Optional.ofNullable(records.get(id));
  }

  private void start(Effect.Start start) {
    var id = new ContainerId(start.container() + "-" + start.run());
    if (records.containsKey(id)) {
      return; // nothing is started twice
    }
    var failure = startFails.apply(start);
    if (failure.isPresent()) {
      startFailures.put(start.container(), failure.get());
      return;
    }
    startFailures.remove(start.container());
    var container = container(start.container());
    var script = scripts.getOrDefault(start.container(), Script.forever());
    var record =
        new SimRecord(id, start, sandbox.id(), container, script, run(container, script), now);
    records.put(id, record);
    started.add(record);
    ran(record);
  }

  /** What the program does this time. */
  protected Script.Run run(ContainerSpec container, Script script) {
    return script.run(
        (int) started.stream().filter(r -> r.container.equals(container.name())).count());
  }

  private ContainerSpec container(String name) {
    return spec.containers().stream().filter(c -> c.name().equals(name)).findFirst().orElseThrow();
  }

  /** Looks and lets time pass until nothing more happens before the limit. */
  public void run(Duration limit) {
    var end = now.plus(limit);
    while (true) {
      var next = look();
      for (var record : records.values()) {
        var change = record.nextChange();
        next = change.isBefore(next) ? change : next;
      }
      if (next.isAfter(end)) {
        moveTo(end);
        return;
      }
      moveTo(next.isAfter(now) ? next : now);
    }
  }

  /** Looks until the plan rests, without letting time pass. */
  void settle() {
    while (!look().isAfter(now)) {
      // every look either acts or rests
    }
  }

  private void moveTo(Instant time) {
    if (time.isAfter(now)) {
      looksWithoutTime = 0;
      now = time;
    }
  }

  public PodStatus status() {
    return lastStatus;
  }

  public ContainerStatus status(String container) {
    return lastStatus.container(container).orElseThrow();
  }

  public Optional<SimRecord> running(String container) {
    return records.values().stream()
        .filter(r -> r.container.equals(container) && r.up())
        .findFirst();
  }

  public List<String> startOrder() {
    return started.stream().map(r -> r.container).toList();
  }

  public List<String> phases() {
    var phases = new ArrayList<String>();
    for (var status : history) {
      var phase = status.phase().wireName();
      if (phases.isEmpty() || !phases.getLast().equals(phase)) {
        phases.add(phase);
      }
    }
    return phases;
  }

  public List<String> conditionHistory(PodCondition.Type type) {
    var values = new ArrayList<String>();
    for (var status : history) {
      var value = status.condition(type).map(c -> c.status().wireName()).orElse("absent");
      if (values.isEmpty() || !values.getLast().equals(value)) {
        values.add(value);
      }
    }
    return values;
  }

  public List<String> eventTexts(String reason) {
    return events.stream().filter(e -> e.reason().equals(reason)).map(PodEvent::message).toList();
  }

  void assertRestartedOnce(String... names) {
    for (var name : names) {
      assertThat(status(name).restartCount()).as(name).isEqualTo(1);
    }
  }
}
