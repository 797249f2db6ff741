package dev.regroup.sim.node;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.api.jobset.JobSetReader;
import dev.regroup.client.ObjectKey;
import dev.regroup.client.informer.Delta;
import dev.regroup.node.pod.NodePod;
import dev.regroup.node.pod.NodePodReader;
import dev.regroup.rules.group.GroupOrders;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.plan.PodPlan;
import dev.regroup.rules.pod.plan.SimRecord;
import dev.regroup.rules.pod.plan.World;
import dev.regroup.sim.Plant;
import dev.regroup.sim.Simulation;
import dev.regroup.sim.api.ApiError;
import dev.regroup.sim.api.Feed;
import dev.regroup.sim.api.Kind;
import dev.regroup.sim.api.Line;
import dev.regroup.sim.api.VirtualApi;
import dev.regroup.sim.api.Weather;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * A machine: pods with their processes, and the node program that drives them by the real plan. The
 * program dies alone, leaving the processes running, or with the whole machine. It looks at a pod
 * only when something happened or a plan said when: there is no resync here to help out.
 */
public final class SimMachine {

  private static final Function<ObjectNode, GroupOrders> ORDERS = JobSetReader::orders;
  private static final Instant FAR = World.START.plus(Duration.ofDays(400)); // never, in a world
  private static final int MOST_LOOKS = 400; // in one second

  private final Simulation sim;
  private final Weather weather;
  private final String name;
  private final Line line;
  private final PodWitness witness;
  private final Programs programs;
  final Plant plant;
  private final NodePodReader reader = new NodePodReader();
  private final Map<String, SimPod> pods = new LinkedHashMap<>();
  private final Feed<NodePod> podFeed;
  private final Feed<GroupOrders> groupFeed;
  private int life;
  private boolean up;
  private boolean running;
  private boolean vanished;
  private int crashes;

  public SimMachine(
      Simulation sim,
      Line line,
      Weather weather,
      String name,
      PodWitness witness,
      Programs programs,
      Plant plant) {
    this.sim = sim;
    this.weather = weather;
    this.name = name;
    this.line = line;
    this.witness = witness;
    this.programs = programs;
    this.plant = plant;
    this.podFeed =
        new Feed<>(
                line,
                Kind.POD,
                one -> one.tree().path("spec").path("nodeName").asText("").equals(name),
                one -> reader.read(one.tree()).orElseThrow(),
                this::podChanged)
            .afterList(this::removeLeftovers);
    this.groupFeed =
        new Feed<>(line, Kind.JOB_SET, one -> true, one -> one.as(ORDERS), this::groupChanged);
  }

  public String name() {
    return name;
  }

  public Line line() {
    return line;
  }

  PodWitness witness() {
    return witness;
  }

  Programs programs() {
    return programs;
  }

  public List<SimPod> pods() {
    return List.copyOf(pods.values());
  }

  /** Whether its program runs. */
  public boolean running() {
    return running;
  }

  public boolean vanished() {
    return vanished;
  }

  public int crashes() {
    return crashes;
  }

  // ---- life and death --------------------------------------------------------------------------

  public void start() {
    up = true;
    startProgram();
  }

  private void startProgram() {
    if (running || !up || vanished) {
      return;
    }
    running = true;
    life++;
    sim.say(() -> name + " starts its program");
    podFeed.start();
    groupFeed.start();
  }

  private void stopProgram() {
    running = false;
    life++;
    podFeed.stop();
    groupFeed.stop();
    for (var pod : pods.values()) {
      pod.reporter().die();
      pod.looking = false;
      pod.poked = false;
      pod.removed = false;
    }
  }

  /** The program dies, its containers go on; it is back within this time. */
  public void programDies(int millis) {
    if (!running) {
      return;
    }
    crashes++;
    sim.say(() -> name + ": program dies");
    stopProgram();
    sim.within(millis, this::startProgram);
  }

  /** Everything on the machine is gone; it is back after this time. */
  public void machineDies(long millis) {
    if (!up) {
      return;
    }
    crashes++;
    sim.say(() -> name + ": machine dies");
    loseEverything();
    sim.after(millis, this::start);
  }

  /** As {@link #machineDies}, for good. */
  public void vanish() {
    vanished = true;
    sim.say(() -> name + " vanishes");
    loseEverything();
  }

  private void loseEverything() {
    up = false;
    stopProgram();
    for (var pod : pods.values()) {
      var ended = pod.records.values().stream().filter(SimRecord::up).toList();
      pod.machineDies(sim.time());
      ended.forEach(record -> witness.ended(pod, record));
      witness.shaken(pod, "machine died");
    }
  }

  // ---- faults of single processes --------------------------------------------------------------

  /** A container ends by itself with this code. */
  public void exit(SimPod pod, SimRecord record, int code) {
    if (!up || !record.up()) {
      return;
    }
    sim.say(() -> pod.name() + ": " + record.container + " exits with " + code);
    record.exit(code, "", sim.time());
    ended(pod, record);
  }

  public void supervisorDies(SimPod pod, SimRecord record) {
    if (!up || !record.up()) {
      return;
    }
    sim.say(() -> pod.name() + ": supervisor of " + record.container + " is killed");
    pod.supervisorDies(record, sim.time());
    ended(pod, record);
  }

  public void sandboxDies(SimPod pod) {
    if (up) {
      sim.say(() -> pod.name() + ": sandbox is killed");
      pod.sandboxDies();
      witness.shaken(pod, "sandbox died");
      poke(pod);
    }
  }

  /** The holder of the pod's network dies, and the program with it. */
  public void networkDies(SimPod pod, int millis) {
    if (up && running) {
      sim.say(() -> pod.name() + ": network is gone");
      pod.networkDies();
      witness.shaken(pod, "network died");
      programDies(millis);
    }
  }

  // ---- what the API shows ----------------------------------------------------------------------

  private void podChanged(Delta<NodePod> delta) {
    switch (delta) {
      case Delta.Removed<NodePod>(var gone) -> forget(gone.uid());
      case Delta.Added<NodePod>(var item) -> show(item.value());
      case Delta.Updated<NodePod>(_, var item) -> show(item.value());
    }
  }

  private void show(NodePod view) {
    var known = pods.get(view.uid());
    if (known == null) {
      var reporter = new SimReporter(sim, line, plant, view.name(), view.uid());
      var pod = new SimPod(this, view, reporter);
      reporter.tell(pod::acknowledged);
      pod.lifeSeen = life;
      pods.put(view.uid(), pod);
      poke(pod);
    } else if (known.lifeSeen != life) {
      if (known.takeOver(view) == SimPod.Found.BROKEN) {
        witness.shaken(known, "found without a network");
      }
      known.lifeSeen = life;
      poke(known);
      track(known);
    } else {
      known.update(view);
      poke(known);
    }
  }

  private void groupChanged(Delta<GroupOrders> delta) {
    pods.values().forEach(this::poke);
  }

  private Optional<GroupOrders> orders(SimPod pod) {
    var labels = pod.view().pod().getMetadata().getLabels();
    var jobSet = labels == null ? null : labels.get(JobSetKeys.JOBSET_NAME);
    return jobSet == null
        ? Optional.empty()
        : groupFeed
            .get(new ObjectKey(VirtualApi.NAMESPACE, jobSet))
            .filter(item -> item.uid().equals(labels.get(JobSetKeys.JOBSET_UID)))
            .map(item -> item.value());
  }

  /** What the runtime has of pods that the API does not show. */
  private void removeLeftovers() {
    for (var pod : pods()) {
      if (podFeed.find(item -> item.uid().equals(pod.uid())).isEmpty()) {
        forget(pod.uid());
      }
    }
  }

  private void forget(String uid) {
    var pod = pods.get(uid);
    if (pod == null || pod.removed) {
      return;
    }
    int mine = life;
    pod.removed = true;
    pod.reporter().die();
    sim.within(
        2_000,
        () -> {
          if (mine != life) {
            return; // the next program finds it
          }
          var ended = pod.records.values().stream().filter(SimRecord::up).toList();
          pod.end(sim.time());
          ended.forEach(record -> witness.ended(pod, record));
          pods.remove(uid);
        });
  }

  // ---- look, plan, do --------------------------------------------------------------------------

  private void poke(SimPod pod) {
    if (!running || pod.removed || pod.lifeSeen != life) {
      return; // a program knows a pod when the API has shown it
    }
    pod.poked = true;
    if (!pod.looking) {
      pod.looking = true;
      int mine = life;
      sim.within(5, () -> look(pod, mine));
    }
  }

  private void look(SimPod pod, int mine) {
    if (mine != life || pod.removed) {
      return;
    }
    if (pod.lookSecond != sim.millis() / 1000) {
      pod.lookSecond = sim.millis() / 1000;
      pod.looks = 0;
    }
    if (++pod.looks > MOST_LOOKS) {
      throw new World.Broken(pod.name() + ": the plan never rests");
    }
    pod.poked = false;
    pod.advance(sim.time()).forEach(record -> witness.ended(pod, record));
    var orders = plant.orders(orders(pod)).orElse(GroupOrders.UNKNOWN);
    var plan = pod.plan(sim.time(), orders);
    perform(pod, plan, new ArrayList<>(plan.effects()), mine, false);
  }

  private void perform(SimPod pod, PodPlan plan, List<Effect> left, int mine, boolean changed) {
    if (mine != life || pod.removed) {
      return;
    }
    if (left.isEmpty()) {
      rest(pod, plan, mine, changed);
      return;
    }
    var effect = left.removeFirst();
    if (!weather.calm() && sim.chance(0.001)) {
      programDies(2_000);
      return;
    }
    if (!weather.calm() && !(effect instanceof Effect.Emit) && sim.chance(0.004)) {
      pod.looking = false;
      sim.after(100, () -> pokeIn(pod, mine)); // the effect failed: look again
      return;
    }
    pod.act(effect, sim.time());
    track(pod);
    if (!weather.calm() && sim.chance(0.001)) {
      programDies(2_000);
      return;
    }
    boolean real = changed || !(effect instanceof Effect.Emit);
    if (effect instanceof Effect.Emit || left.isEmpty()) {
      perform(pod, plan, left, mine, real);
    } else {
      sim.within(4, () -> perform(pod, plan, left, mine, real));
    }
  }

  private void rest(SimPod pod, PodPlan plan, int mine, boolean changed) {
    pod.looking = false;
    if (changed || pod.poked) {
      poke(pod);
      return;
    }
    if (plan.standing() == PodPlan.Standing.REMOVABLE && !pod.letGo) {
      pod.reporter().whenIdle(() -> letGo(pod, mine));
    }
    if (plan.wakeUp().isBefore(Instant.MAX)) {
      sim.at(plan.wakeUp(), () -> pokeIn(pod, mine));
    }
  }

  private void pokeIn(SimPod pod, int mine) {
    if (mine == life) {
      poke(pod);
    }
  }

  private void letGo(SimPod pod, int mine) {
    try {
      line.call(api -> api.delete(Kind.POD, pod.name(), pod.uid(), VirtualApi.Deletion.NOW));
      pod.letGo = true;
    } catch (ApiError error) {
      if (error.is(ApiError.Reason.UNREACHABLE)) {
        sim.within(500, () -> pokeIn(pod, mine));
      }
    }
  }

  /** Has the runtime tell when something ends by itself. */
  private void track(SimPod pod) {
    var next = pod.nextChange();
    if (next.isBefore(FAR) && next.isBefore(pod.nextEvent)) {
      pod.nextEvent = next;
      sim.at(next, () -> runtimeChanged(pod, next));
    }
  }

  private void runtimeChanged(SimPod pod, Instant due) {
    if (!due.equals(pod.nextEvent)) {
      return;
    }
    pod.nextEvent = Instant.MAX;
    var ended = pod.advance(sim.time());
    ended.forEach(record -> ended(pod, record));
    poke(pod);
    track(pod);
  }

  private void ended(SimPod pod, SimRecord record) {
    witness.ended(pod, record);
    poke(pod);
  }
}
