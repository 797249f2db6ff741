package dev.regroup.bench;

import dev.regroup.bench.Bell.Manners;
import dev.regroup.runtime.ContainerKey;
import dev.regroup.runtime.ContainerSpec;
import dev.regroup.runtime.ContainerSpec.Mount;
import dev.regroup.runtime.PodUid;
import dev.regroup.runtime.SandboxSpec;
import dev.regroup.runtime.StopOrder;
import dev.regroup.runtime.StopReason;
import dev.regroup.runtime.embedded.EmbeddedRuntime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The runtime alone: start of one container in a sandbox that is there, until its code runs. */
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
      var next = new NextAttempts(folder.resolve("runtime"));
      runtime.startSandbox(
          new SandboxSpec(POD, "default", "bench", "bench", SandboxSpec.Network.POD, List.of()));
      try {
        return List.of(measure(bell, runtime, next, effort.rounds() * 2));
      } finally {
        runtime.removePod(POD);
      }
    }
  }

  private static Figure measure(Bell bell, EmbeddedRuntime runtime, NextAttempts next, int rounds)
      throws Exception {
    var starts = new ArrayList<Duration>();
    var floors = new ArrayList<Duration>();
    for (int round = 0; round < WARM_UP + rounds; round++) {
      next.await(1);
      var floor = ProcessFloor.once(bell, List.of(WORKER), Manners.POLITE);
      var key = new ContainerKey(POD, WORKER, round);
      var spec =
          ContainerSpec.of(key, 0, Bell.command(Manners.POLITE))
              .withEnv(Map.of("BELL", "/bell", "WORKER", WORKER, "PATH", "/usr/bin:/bin"))
              .withMounts(List.of(Mount.of(bell.directory(), "/bell")));

      long begin = System.nanoTime();
      runtime.start(spec);
      var ring = bell.awaitAll(Set.of(WORKER));

      if (round >= WARM_UP) {
        floors.add(floor);
        starts.add(Duration.ofNanos(ring.nanos() - begin));
      }
      runtime.stop(key, StopOrder.atOnce(StopReason.POD_END));
      runtime.remove(key);
    }
    return new Figure(
        "container-start", Figure.Unit.MILLIS, Samples.ofMillis(starts), Samples.ofMillis(floors));
  }
}
