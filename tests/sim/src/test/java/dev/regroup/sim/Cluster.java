package dev.regroup.sim;

import dev.regroup.api.Wire;
import dev.regroup.api.jobset.JobSetKeys;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.plan.Script;
import dev.regroup.rules.pod.plan.SimRecord;
import dev.regroup.sim.api.Kind;
import dev.regroup.sim.api.Line;
import dev.regroup.sim.api.VirtualApi;
import dev.regroup.sim.api.Weather;
import dev.regroup.sim.control.SimJobSets;
import dev.regroup.sim.control.SimJobs;
import dev.regroup.sim.node.SimMachine;
import dev.regroup.sim.node.SimPod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One world: a JobSet on a few machines, the controllers, an API, and ninety seconds of trouble;
 * then nothing goes wrong any more and everything must come to rest. All of it follows from the
 * seed. {@link Judge} looks on, {@link Plant} may have planted a mistake.
 */
final class Cluster {

  private static final long TROUBLE = 90_000;
  private static final long PATIENCE = 4 * 3_600_000;

  /** What happened in a world, for the summary. */
  record Toll(long restarts, long crashes, long faults, long steps, long failed, long completed) {
    static final Toll NONE = new Toll(0, 0, 0, 0, 0, 0);

    Toll plus(Toll other) {
      return new Toll(
          restarts + other.restarts,
          crashes + other.crashes,
          faults + other.faults,
          steps + other.steps,
          failed + other.failed,
          completed + other.completed);
    }
  }

  private final Simulation sim;
  private final Weather weather;
  private final VirtualApi api;
  private final Manifest manifest;
  private final List<SimMachine> machines = new ArrayList<>();
  private final Plant plant;
  private SimJobSets jobSets;
  private int overthrown;
  private final SimJobs jobs;
  private final Judge judge;
  private int faults;

  Cluster(long seed, Plant plant, Simulation.Log log) {
    this.sim = new Simulation(seed, log);
    this.plant = plant;
    this.weather = new Weather(sim);
    this.api = new VirtualApi(sim);
    this.manifest = Manifest.draw(sim);
    this.judge = new Judge(sim, api, machines);
    if (manifest.fatalCodes()) {
      judge.orders().fatalCodes();
    }
    int count = 1 + sim.draw(3);
    for (int i = 0; i < count; i++) {
      machines.add(new SimMachine(sim, line(plant), weather, "n" + i, judge, this::program, plant));
    }
    this.jobSets = new SimJobSets(sim, line(plant), weather, plant);
    this.jobs = new SimJobs(sim, line(plant), weather, plant);
  }

  private Line line(Plant plant) {
    return new Line(sim, api, weather, plant);
  }

  Toll run() {
    new Caretakers(sim, api, machines).start(TROUBLE + 600_000);
    machines.forEach(machine -> sim.within(50, machine::start));
    sim.within(50, jobSets::start);
    sim.within(50, jobs::start);
    api.create(Kind.JOB_SET, manifest.jobSet());
    int storms = sim.draw(12);
    for (int i = 0; i < storms; i++) {
      sim.after(200 + sim.draw((int) TROUBLE - 200), this::strike);
    }
    sim.after(TROUBLE, weather::calmDown);
    boolean rests = sim.runUntil(PATIENCE);
    judge.atTheEnd(rests);
    long crashes = machines.stream().mapToInt(SimMachine::crashes).sum();
    return new Toll(
        judge.orders().barrier().current().orElse(0),
        crashes + jobSets.crashes() + jobs.crashes() + overthrown,
        faults,
        sim.stepsTaken(),
        ended("Failed"),
        ended("Completed"));
  }

  private int ended(String how) {
    var jobSet = api.get(Kind.JOB_SET, Manifest.NAME).orElseThrow();
    return jobSet.tree().path("status").path("terminalState").asText().equals(how) ? 1 : 0;
  }

  List<String> log() {
    return sim.lines();
  }

  // ---- trouble ---------------------------------------------------------------------------------

  private void strike() {
    faults++;
    var machine = sim.oneOf(machines);
    var pods = machine.pods();
    switch (sim.draw(20)) {
      case 0 -> machine.programDies(3_000);
      case 1 -> machine.machineDies(500 + sim.draw(20_000));
      case 2 -> api.goDown(50 + sim.draw(4_000));
      case 3 -> jobSets.die(2_000);
      case 4 -> jobs.die(2_000);
      case 5 -> sim.oneOf(List.of(jobSets.line(), jobs.line(), machine.line())).cut(5_000);
      case 6 -> vanish(machine);
      case 7 -> machine.line().cut(sim.chance(0.3) ? 250_000 : 30_000);
      case 8 -> {
        if (!pods.isEmpty()) {
          deletePod(sim.oneOf(pods));
        }
      }
      case 9 -> {
        if (!pods.isEmpty()) {
          machine.sandboxDies(sim.oneOf(pods));
        }
      }
      case 10 -> {
        if (!pods.isEmpty()) {
          machine.networkDies(sim.oneOf(pods), 2_000);
        }
      }
      case 11 -> {
        var up = up(pods);
        if (!up.isEmpty()) {
          var one = sim.oneOf(up);
          machine.supervisorDies(one.pod(), one.record());
        }
      }
      case 12 -> overthrow();
      case 13 -> request();
      case 14 -> suspend();
      default -> {
        var up = up(pods);
        if (!up.isEmpty()) {
          var one = sim.oneOf(up);
          machine.exit(one.pod(), one.record(), code());
          if (sim.chance(0.2)) { // a failure and its witness at once
            sim.oneOf(List.<Runnable>of(() -> jobSets.die(500), () -> jobs.die(500))).run();
          }
        }
      }
    }
  }

  /** The leader stands still for too long: another one takes over, and both write for a moment. */
  private void overthrow() {
    overthrown++;
    jobSets.isOverthrown(500 + sim.draw(3_000));
    jobSets = new SimJobSets(sim, line(plant), weather, plant);
    sim.within(400, jobSets::start);
  }

  /** A user asks for a restart of the group. */
  private void request() {
    sim.say(() -> "a user asks for a restart");
    var patch = Wire.object();
    patch
        .putObject("metadata")
        .putObject("annotations")
        .put(JobSetKeys.RESTART_REQUEST, "r" + faults)
        .put(JobSetKeys.RESTART_UNCOUNTED, sim.chance(0.5) ? "true" : "false");
    api.patch(Kind.JOB_SET, Manifest.NAME, patch);
  }

  private void suspend() {
    sim.say(() -> "the JobSet is suspended");
    suspend(true);
    sim.within(
        15_000,
        () -> {
          sim.say(() -> "the JobSet is resumed");
          suspend(false);
        });
  }

  private void suspend(boolean wanted) {
    var patch = Wire.object();
    patch.putObject("spec").put("suspend", wanted);
    api.patch(Kind.JOB_SET, Manifest.NAME, patch);
  }

  private int code() {
    if (manifest.fatalCodes() && sim.chance(0.3)) {
      return Manifest.FATAL;
    }
    return sim.oneOf(List.of(1, 1, 1, 42, 137));
  }

  private void vanish(SimMachine machine) {
    long left = machines.stream().filter(one -> !one.vanished()).count();
    if (left > 1 && sim.chance(0.5)) {
      machine.vanish();
    } else {
      machine.machineDies(500);
    }
  }

  private void deletePod(SimPod pod) {
    var stored = api.get(Kind.POD, pod.name()).filter(one -> one.uid().equals(pod.uid()));
    if (stored.isPresent()) {
      sim.say(() -> pod.name() + " is deleted by a user");
      api.delete(Kind.POD, pod.name(), pod.uid(), VirtualApi.Deletion.GRACEFUL);
    }
  }

  private record Up(SimPod pod, SimRecord record) {}

  private static List<Up> up(List<SimPod> pods) {
    var all = new ArrayList<Up>();
    for (var pod : pods) {
      pod.records.values().stream()
          .filter(SimRecord::up)
          .forEach(record -> all.add(new Up(pod, record)));
    }
    return all;
  }

  // ---- what runs in the containers -------------------------------------------------------------

  private Script.Run program(SimPod pod, ContainerSpec container) {
    if (container.kind() == ContainerKind.INIT) {
      boolean fails = manifest.sick() && !weather.calm() && sim.chance(0.3);
      return Script.Run.exitAfter(fails ? 1 : 0, time(2_000));
    }
    if (!SimPod.isWorker(container)) {
      return reaction(Script.Run.forever());
    }
    if (manifest.sick() && !weather.calm() && sim.chance(0.15)) {
      return reaction(Script.Run.exitAfter(code(), time(20_000)));
    }
    return reaction(
        manifest.ends() && (weather.calm() || sim.chance(0.1))
            ? Script.Run.exitAfter(0, time(60_000))
            : Script.Run.forever());
  }

  private Script.Run reaction(Script.Run run) {
    return switch (sim.draw(4)) {
      case 0 -> run.deaf();
      case 1 -> run.onSignal(time(3_000), manifest.helpers() ? 143 : 0);
      default -> run;
    };
  }

  private Duration time(int most) {
    return Duration.ofMillis(1 + sim.draw(most));
  }
}
