package dev.regroup.bench;

import dev.regroup.bench.Bell.Manners;
import dev.regroup.runtime.ContainerConfig;
import dev.regroup.runtime.ContainerConfig.Mount;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.SandboxSpec;
import dev.regroup.runtime.StopOrder;
import dev.regroup.runtime.embedded.EmbeddedRuntime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The runtime alone: start of one container in a sandbox that is there, until its code runs; once
 * as a container's first attempt, once as the next one, which was prepared.
 */
final class ContainerStartBench implements Benchmark {

  private static final String WORKER = "worker";
  private static final PodUid POD = new PodUid("bench");
  private static final int WARM_UP = 5;

  @Override
  public String name() {
    return "container-start";
  }

  @Override
  public List<Figure> run(Path folder, Effort effort) throws Exception {
    try (var bell = new Bell(folder.resolve("bell"), List.of(WORKER));
        var runtime =
            EmbeddedRuntime.open(EmbeddedRuntime.Settings.in(folder.resolve("runtime")))) {
      var next = new PreparedNode(folder.resolve("runtime"));
      runtime.startSandbox(
          new SandboxSpec(POD, "default", "bench", "bench", SandboxSpec.Network.POD, List.of()));
      try {
        return measure(bell, runtime, next, effort.rounds());
      } finally {
        runtime.removePod(POD);
      }
    }
  }

  private static List<Figure> measure(
      Bell bell, EmbeddedRuntime runtime, PreparedNode next, int rounds) throws Exception {
    var firsts = new ArrayList<Duration>();
    var seconds = new ArrayList<Duration>();
    var floors = new ArrayList<Duration>();
    for (int round = 0; round < WARM_UP + rounds; round++) {
      next.awaitRoots(1);
      var floor = ProcessFloor.once(bell, List.of(WORKER), Manners.POLITE);
      var spec = spec(bell, 2 * round);
      var first = start(bell, runtime, spec);
      next.awaitAttempts(1);
      end(runtime, spec.key());
      var second = start(bell, runtime, spec.next());
      end(runtime, spec.next().key());
      if (round >= WARM_UP) {
        floors.add(floor);
        firsts.add(first);
        seconds.add(second);
      }
    }
    return List.of(
        figure("container-start", firsts, floors),
        figure("container-start-prepared", seconds, floors));
  }

  private static ContainerConfig spec(Bell bell, int attempt) {
    return ContainerConfig.of(
            new ContainerKey(POD, WORKER, attempt), 0, Bell.command(Manners.POLITE))
        .withEnv(Map.of("BELL", "/bell", "WORKER", WORKER, "PATH", "/usr/bin:/bin"))
        .withMounts(List.of(Mount.of(bell.directory(), "/bell")));
  }

  private static Duration start(Bell bell, EmbeddedRuntime runtime, ContainerConfig spec)
      throws Exception {
    long begin = System.nanoTime();
    runtime.start(spec);
    return Duration.ofNanos(bell.awaitAll(Set.of(WORKER)).nanos() - begin);
  }

  private static void end(EmbeddedRuntime runtime, ContainerKey key) throws Exception {
    runtime.stop(key, StopOrder.AT_ONCE);
    runtime.remove(key);
  }

  private static Figure figure(String name, List<Duration> measured, List<Duration> floors) {
    return new Figure(
        name, Figure.Unit.MILLIS, Samples.ofMillis(measured), Samples.ofMillis(floors));
  }
}
