package dev.regroup.bench;

import dev.regroup.bench.Bell.Manners;
import dev.regroup.cli.image.AgentFolder;
import dev.regroup.cli.image.AgentRoad;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The same as {@link GroupRestartBench} with an agent in each pod: a sidecar, whose pod starts anew
 * with it, or the parent of the worker, which stays. The floor is as many bare processes.
 */
final class AgentsRestartBench implements Benchmark {

  private static final int WARM_UP = 2;

  private final String kind;
  private final List<String> workers;

  AgentsRestartBench(String kind, int size) {
    this.kind = kind;
    this.workers = IntStream.range(0, size).mapToObj(Integer::toString).toList();
  }

  @Override
  public String name() {
    return "group-restart-agents-" + kind + "-" + workers.size();
  }

  /** Agents start with the cache that a build leaves beside the program. */
  private static void trainAgent(Path folder) throws Exception {
    Path made = new AgentFolder(folder.resolve("data").resolve("agent")).get();
    AgentFolder.train(folder.resolve("regroup-bench.jar"), AgentRoad.SOCKET);
    Files.copy(folder.resolve("agent-bench.aot"), made.resolve("agent.aot"));
  }

  @Override
  public List<Figure> run(Path folder, Effort effort) throws Exception {
    trainAgent(folder);
    try (var bell = new Bell(folder.resolve("bell"), workers);
        var cluster = new TestCluster(folder.resolve("data"));
        var signals = new OrderTimes(cluster, GroupRestartBench.JOB_SETS, "group")) {
      var all = new LinkedHashSet<>(workers);
      cluster.create(
          GroupRestartBench.JOB_SETS, GroupRestartBench.manifest(bell, workers.size(), kind));
      bell.awaitAll(all);
      var restarts = new ArrayList<Duration>();
      var floors = new ArrayList<Duration>();
      var stages = new StageTimes();
      for (int round = 0; round < WARM_UP + effort.rounds(); round++) {
        signals.goOn(round);
        var floor = ProcessFloor.once(bell, workers, Manners.POLITE);

        var beginAt = Instant.now();
        long begin = System.nanoTime();
        bell.end(workers.get(round % workers.size()));
        var last = bell.awaitAll(all);

        if (round >= WARM_UP) {
          floors.add(floor);
          restarts.add(Duration.ofNanos(last.nanos() - begin));
          var lifted = signals.goOn(round + 1);
          stages.add("signal: restart", beginAt, signals.restart(round));
          stages.add("signal: go on", beginAt, lifted);
          stages.add("all workers' code runs", beginAt, last.at());
        }
      }
      return List.of(
          new Figure(
              name(),
              Figure.Unit.MILLIS,
              Samples.ofMillis(restarts),
              Samples.ofMillis(floors),
              stages.medians()));
    }
  }
}
