package dev.regroup.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.bench.Benchmark.Effort;
import dev.regroup.cli.local.LocalCluster;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The short form of the benchmarks: a few rounds, against the same limits. */
class BenchIT {

  /** Those that take seconds; the server's start is measured by hand. */
  private static final List<Benchmark> SHORT =
      List.of(
          new ContainerStartBench(),
          new PodRestartBench(),
          new GroupRestartBench(8),
          new StoreBench(),
          new ApiCreateBench());

  @Test
  void nothing_costs_more_than_its_limit() throws Exception {
    assertThat(LocalCluster.possible()).as("containers need root").isTrue();
    var limits = Limits.read(Path.of("limits.properties"));
    var figures = new ArrayList<Figure>();

    for (Benchmark benchmark : SHORT) {
      figures.addAll(Bench.run(benchmark, Effort.QUICK));
    }

    String table = FigureReport.table(figures, limits);
    System.out.println(table);
    assertThat(limits.broken(figures)).as(table).isEmpty();
  }
}
