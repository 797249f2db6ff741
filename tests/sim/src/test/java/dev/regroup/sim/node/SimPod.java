package dev.regroup.sim.node;

import dev.regroup.api.pod.NodeAddition;
import dev.regroup.api.pod.PodSpecs;
import dev.regroup.api.pod.RestartRequests;
import dev.regroup.api.pod.StatusGuard;
import dev.regroup.api.pod.StatusReader;
import dev.regroup.api.pod.StatusWriter;
import dev.regroup.node.pod.NodePod;
import dev.regroup.node.report.PodReport;
import dev.regroup.rules.RuleGate;
import dev.regroup.rules.group.GroupOrders;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.Observed.Sandbox;
import dev.regroup.rules.pod.PodStatus;
import dev.regroup.rules.pod.plan.PodPlan;
import dev.regroup.rules.pod.plan.Script;
import dev.regroup.rules.pod.plan.SimRecord;
import dev.regroup.rules.pod.plan.World;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * One pod on its machine: what the runtime and the disk have of it, and what the node program has
 * in memory. Its status goes out and comes back through the product's wire.
 */
public final class SimPod extends World {

  private static final StatusGuard GUARD = new StatusGuard(Set.of(RuleGate.values()));

  /** Everything the status on the wire is made of. */
  private record Publication(PodStatus status, long generation, String ip) {
    static final Publication NOTHING = new Publication(PodStatus.NONE, -1, "");
  }

  /** What a program found of a pod that was there before it. */
  enum Found {
    WHOLE,
    BROKEN
  }

  private final SimMachine machine;
  private final SimReporter reporter;
  private NodePod view;
  private PodStatus allowed = PodStatus.NONE;
  private Publication told = Publication.NOTHING;
  private boolean network = true;
  Instant nextEvent = Instant.MAX;
  boolean looking;
  boolean poked;
  boolean removed;
  boolean letGo;
  int looks;
  long lookSecond;
  int lifeSeen;

  SimPod(SimMachine machine, NodePod first, SimReporter reporter) {
    super(first.spec());
    this.machine = machine;
    this.view = first;
    this.reporter = reporter;
    this.planner = machine.plant::pod;
    takeOver(first);
  }

  public String uid() {
    return view.uid();
  }

  public String name() {
    return view.name();
  }

  public NodePod view() {
    return view;
  }

  SimReporter reporter() {
    return reporter;
  }

  public boolean hasNetwork() {
    return network && sandbox.isReady();
  }

  void update(NodePod newer) {
    view = newer;
  }

  /** A node program that starts finds the pod in the API and on its disk. */
  Found takeOver(NodePod found) {
    view = found;
    published = StatusReader.read(found.spec(), found.status(), found.annotations());
    allowed = published;
    told = Publication.NOTHING;
    letGo = false;
    restartNode();
    if (!network && machine.plant.checksNetwork()) {
      loseSandbox();
      return Found.BROKEN;
    }
    return Found.WHOLE;
  }

  PodPlan plan(Instant time, GroupOrders orders) {
    now = time;
    spec = view.spec();
    group = orders;
    deletion = PodSpecs.deletion(view.metadata(), view.spec().terminationGrace());
    request = RestartRequests.of(view.pod().getMetadata().getAnnotations());
    return decide();
  }

  void act(Effect effect, Instant time) {
    now = time;
    if (effect instanceof Effect.CreateSandbox) {
      network = true;
    }
    perform(effect);
  }

  /** Lets time pass in the runtime; returns those that ended meanwhile. */
  List<SimRecord> advance(Instant time) {
    now = time;
    var up = records.values().stream().filter(SimRecord::up).toList();
    up.forEach(record -> record.advance(time));
    return up.stream().filter(record -> !record.up()).toList();
  }

  Instant nextChange() {
    var next = Instant.MAX;
    for (var record : records.values()) {
      var change = record.nextChange();
      next = change.isBefore(next) ? change : next;
    }
    return next;
  }

  /** The machine dies: processes, sandbox and memory are gone. */
  void machineDies(Instant time) {
    now = time;
    reboot();
    network = false;
  }

  void supervisorDies(SimRecord record, Instant time) {
    now = time;
    lose(record);
  }

  void sandboxDies() {
    loseSandbox();
  }

  /** The holder of its network dies; only a look at what is taken over shows it. */
  void networkDies() {
    network = false;
  }

  void end(Instant time) {
    now = time;
    records.values().stream().filter(SimRecord::up).forEach(r -> r.exit(137, "", time));
    records.clear();
    sandbox = Sandbox.NONE;
  }

  public boolean isWorker(SimRecord record) {
    return isWorker(record.spec);
  }

  /** Helpers restart on their own; whoever else is regular trains. */
  public static boolean isWorker(ContainerSpec container) {
    return container.kind() == ContainerKind.REGULAR && container.name().startsWith("worker");
  }

  public List<SimRecord> workersUp() {
    return records.values().stream().filter(r -> r.up() && isWorker(r)).toList();
  }

  @Override
  protected void publish(PodStatus status) {
    var asked = RestartRequests.of(view.pod().getMetadata().getAnnotations());
    var generation = view.pod().getMetadata().getGeneration();
    var next = new Publication(status, generation == null ? 0 : generation, sandbox.ip());
    if (next.equals(told) || !GUARD.allows(spec, asked, allowed, status)) {
      return;
    }
    told = next;
    allowed = status;
    var wire =
        StatusWriter.write(view.pod(), status, new NodeAddition("10.1.0.1", sandbox.ip(), START));
    reporter.publish(
        new PodReport(
            wire,
            StatusReader.attemptAnnotations(status),
            mustSee(status),
            PodReport.Urgency.AT_ONCE),
        status);
  }

  /** The API has this status. */
  void acknowledged(PodStatus status) {
    published = status;
  }

  /** States that differ here are written one by one. */
  private static String mustSee(PodStatus status) {
    var text = new StringBuilder();
    text.append(status.phase()).append(status.attempt());
    status.conditions().forEach(one -> text.append(one.type()).append(one.status()));
    status.containers().forEach(one -> text.append(one.restartCount()).append(' '));
    return text.toString();
  }

  @Override
  protected Script.Run run(ContainerSpec container, Script script) {
    return machine.programs().next(this, container);
  }

  @Override
  protected void ran(SimRecord record) {
    super.ran(record);
    machine.witness().started(this, record);
  }
}
