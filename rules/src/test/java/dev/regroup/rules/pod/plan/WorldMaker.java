package dev.regroup.rules.pod.plan;

import dev.regroup.rules.ExitRule;
import dev.regroup.rules.RestartPolicy;
import dev.regroup.rules.group.GroupOrders;
import dev.regroup.rules.pod.ContainerKind;
import dev.regroup.rules.pod.ContainerSpec;
import dev.regroup.rules.pod.ContainerSpec.Hook;
import dev.regroup.rules.pod.Effect;
import dev.regroup.rules.pod.Observed.Deletion;
import dev.regroup.rules.pod.Observed.StartFailure;
import dev.regroup.rules.pod.PodRestartRequest;
import dev.regroup.rules.pod.PodSpec;
import dev.regroup.rules.pod.ProbeKind;
import dev.regroup.rules.pod.SeenContainer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.function.UnaryOperator;

/** Makes a random pod and leads it through sixty random steps; everything follows from the seed. */
final class WorldMaker {
  static final int STEPS = 60;
  private static final int[] CODES = {0, 1, 3, 7, 8, 9, 42, 43};

  private final Random random;
  private final World world;
  private int crashes;
  private int failures;
  private int losses;
  private boolean calm;

  private WorldMaker(long seed, UnaryOperator<SimNode.PlanFunction> wrapper) {
    this.random = new Random(seed * 0x9E3779B97F4A7C15L + 11);
    this.world = pod();
    world.planner = wrapper.apply(world.planner);
    world.chaos = this::chaos;
    world.startFails = this::startFails;
  }

  /** How much went wrong in a world. */
  record Toll(long crashes, long failures, long losses, long starts, long cycles, long looks) {
    static final Toll NONE = new Toll(0, 0, 0, 0, 0, 0);

    Toll plus(Toll other) {
      return new Toll(
          crashes + other.crashes,
          failures + other.failures,
          losses + other.losses,
          starts + other.starts,
          cycles + other.cycles,
          looks + other.looks);
    }
  }

  /** Lives through one world; throws when an invariant breaks. */
  static Toll live(long seed, UnaryOperator<SimNode.PlanFunction> wrapper) {
    var maker = new WorldMaker(seed, wrapper);
    maker.live();
    var world = maker.world;
    return new Toll(
        maker.crashes,
        maker.failures,
        maker.losses,
        world.started.size(),
        world.cycle.epoch(),
        world.plans.size());
  }

  private boolean chance(double probability) {
    return random.nextDouble() < probability;
  }

  private <T> T oneOf(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  private World pod() {
    var containers = new ArrayList<ContainerSpec>();
    var sidecars = new ArrayList<String>();
    int entries = random.nextInt(4);
    for (int index = 0; index < entries; index++) {
      boolean sidecar = chance(0.5);
      var name = (sidecar ? "s" : "i") + index;
      containers.add(ContainerSpec.of(name, sidecar ? ContainerKind.SIDECAR : ContainerKind.INIT));
      if (sidecar) {
        sidecars.add(name);
      }
    }
    int regular = Math.max(3 - entries, 1 + random.nextInt(3));
    for (int index = 0; index < regular; index++) {
      containers.add(ContainerSpec.of("c" + index, ContainerKind.REGULAR));
    }
    containers.replaceAll(c -> detail(c, sidecars));
    var policy =
        oneOf(List.of(RestartPolicy.ALWAYS, RestartPolicy.ON_FAILURE, RestartPolicy.NEVER));
    var spec =
        PodSpec.of(Pods.ID, policy, containers).withGrace(Duration.ofSeconds(random.nextInt(40)));
    boolean group = chance(0.25);
    if (group) {
      spec = spec.withBarrier(PodSpec.BarrierRole.NODE_AGENT, "");
    }
    var made = new World(spec);
    if (group) {
      made.group = GroupOrders.of(OptionalInt.empty(), OptionalInt.empty());
    }
    containers.forEach(c -> made.scripts.put(c.name(), script(c)));
    return made;
  }

  private ContainerSpec detail(ContainerSpec container, List<String> sidecars) {
    var made = container.withImage("image", "v1");
    if (container.kind() != ContainerKind.SIDECAR && chance(0.6)) {
      made =
          made.withPolicy(
              oneOf(List.of(RestartPolicy.ALWAYS, RestartPolicy.ON_FAILURE, RestartPolicy.NEVER)));
    }
    if (made.kind() == ContainerKind.INIT && made.ownPolicy() == RestartPolicy.ALWAYS) {
      made = made.withPolicy(RestartPolicy.ON_FAILURE); // it would be a sidecar
    }
    if (made.ownPolicy() != RestartPolicy.INHERIT && chance(0.7)) {
      made = made.withRules(rules(sidecars));
    }
    if (made.kind() != ContainerKind.INIT) {
      var hooks = EnumSet.noneOf(Hook.class);
      if (chance(0.2)) {
        hooks.add(Hook.PRE_STOP);
      }
      if (chance(0.15)) {
        hooks.add(Hook.POST_START);
      }
      made = made.withHooks(hooks);
      if (chance(0.2)) {
        made = made.withProbes(Map.of(ProbeKind.LIVENESS, Duration.ofSeconds(random.nextInt(9))));
      }
    }
    return made;
  }

  private List<ExitRule> rules(List<String> sidecars) {
    var rules = new ArrayList<ExitRule>();
    if (chance(0.7)) {
      var keep = sidecars.stream().filter(s -> chance(0.3)).toList();
      var grace = chance(0.2) ? Duration.ofSeconds(random.nextInt(10)) : Duration.ZERO;
      rules.add(
          new ExitRule(
              ExitRule.Action.RESTART_ALL_CONTAINERS,
              new ExitRule.Condition.ExitCodes(ExitRule.Operator.IN, List.of(42, 43)),
              keep,
              grace));
    }
    if (chance(0.4)) {
      rules.add(Pods.on(ExitRule.Action.RESTART, 1, 3));
    }
    if (chance(0.2)) {
      rules.add(Pods.on(ExitRule.Action.TERMINATE, 7));
    }
    if (chance(0.2)) {
      rules.add(Pods.on(ExitRule.Action.COMPLETE, 8));
    }
    if (chance(0.1)) {
      rules.add(Pods.on(ExitRule.Action.TERMINATE_POD, 9));
    }
    return rules;
  }

  private Script script(ContainerSpec container) {
    var runs = new ArrayList<Script.Run>();
    int finite = random.nextInt(4);
    for (int index = 0; index < finite; index++) {
      runs.add(reaction(Script.Run.exitAfter(code(container), time(20_000))));
    }
    boolean ends =
        container.kind() == ContainerKind.INIT
            || (container.kind() == ContainerKind.REGULAR && chance(0.2));
    runs.add(reaction(ends ? Script.Run.exitAfter(0, time(5_000)) : Script.Run.forever()));
    return new Script(runs, time(8_000), time(3_000));
  }

  /** Mostly a trigger, or what the container may survive; now and then anything. */
  private int code(ContainerSpec container) {
    if (container.kind() == ContainerKind.INIT && chance(0.5)) {
      return 0;
    }
    return chance(0.5) ? 42 : CODES[random.nextInt(CODES.length)];
  }

  private Script.Run reaction(Script.Run run) {
    return switch (random.nextInt(4)) {
      case 0 -> run.deaf();
      case 1 -> run.onSignal(time(6_000), 0);
      case 2 -> run.onSignal(Duration.ZERO, 42);
      default -> run;
    };
  }

  private Duration time(int maxMillis) {
    return Duration.ofMillis(1 + random.nextInt(maxMillis));
  }

  private void chaos(Effect effect, boolean before) {
    if (calm) {
      return;
    }
    if (chance(0.015)) {
      crashes++;
      throw new SimNode.Fault(true);
    }
    if (before && !(effect instanceof Effect.Emit) && chance(0.03)) {
      failures++;
      throw new SimNode.Fault(false);
    }
  }

  private Optional<StartFailure> startFails(Effect.Start start) {
    if (calm || !chance(0.04)) {
      return Optional.empty();
    }
    failures++;
    return Optional.of(
        new StartFailure("CreateContainerError", "simulated", world.now.plus(time(4_000))));
  }

  private void live() {
    for (int step = 0; step < STEPS; step++) {
      happen();
      world.groupFollows();
      world.run(time(chance(0.2) ? 60_000 : 3_000));
    }
    calm = true;
    world.apiReachable = true;
    world.groupFollows();
    do { // nobody pokes the pod any more, except the group when its word changes
      world.run(Duration.ofHours(1));
    } while (world.groupFollows());
    world.mustBeAtRest();
  }

  /** Something from outside. */
  private void happen() {
    if (chance(0.01)) {
      world.restartNode();
      crashes++;
    }
    if (chance(0.003)) {
      world.reboot();
      crashes++;
    }
    lose();
    if (chance(0.03)) {
      world.apiReachable = !world.apiReachable;
    }
    if (chance(0.004) && world.deletion.equals(Deletion.NONE)) {
      world.deletion = new Deletion.Asked(world.now, Duration.ofSeconds(random.nextInt(40)));
    }
    if (chance(0.02)) {
      world.groupMovesOn();
    }
    if (chance(0.01)) {
      var container = chance(0.5) ? "" : oneOf(world.spec.containers()).name();
      world.request =
          new PodRestartRequest.Asked("r" + random.nextInt(1000), "test", Duration.ZERO, container);
    }
    if (chance(0.03)) {
      world.records.values().stream()
          .filter(r -> r.up() && r.spec.has(ProbeKind.LIVENESS))
          .min((a, b) -> a.id.value().compareTo(b.id.value()))
          .ifPresent(r -> r.probes.put(ProbeKind.LIVENESS, SeenContainer.ProbeResult.FAILURE));
    }
    if (chance(0.005)) {
      changeImage();
    }
  }

  /** Processes the node relies on are killed one by one. */
  private void lose() {
    if (chance(0.02)) {
      var up =
          world.records.values().stream()
              .filter(SimRecord::up)
              .sorted(Comparator.comparing(record -> record.id.value()))
              .toList();
      if (!up.isEmpty()) {
        world.lose(oneOf(up));
        losses++;
      }
    }
    if (chance(0.01)) {
      world.loseSandbox();
      losses++;
    }
  }

  private void changeImage() {
    var containers = new ArrayList<>(world.spec.containers());
    int index = random.nextInt(containers.size());
    var changed = containers.get(index).withImage("image", "v" + random.nextInt(100));
    containers.set(index, changed);
    world.spec =
        new PodSpec(
            world.spec.id(),
            world.spec.restartPolicy(),
            containers,
            world.spec.terminationGrace(),
            world.spec.activeDeadline(),
            world.spec.readinessGates(),
            world.spec.barrier(),
            world.spec.agentContainer(),
            world.spec.restartGrace(),
            world.spec.origin());
  }
}
