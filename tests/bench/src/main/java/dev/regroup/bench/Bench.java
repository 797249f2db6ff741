package dev.regroup.bench;

import dev.regroup.api.Wire;
import dev.regroup.bench.Benchmark.Effort;
import dev.regroup.cli.local.LocalCluster;
import dev.regroup.upstream.GoPrograms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Measures, prints a table and JSON, and ends with 1 when a figure is above its limit. Needs root,
 * as containers do. {@code Bench [--quick] [--rounds=N] [--json=FILE] [--limits=FILE] [name…]};
 * without names everything is measured. {@code Bench --beside=kubernetes} measures the API server
 * beside kube-apiserver and etcd, which Go builds; {@code --beside=FOLDER} beside those in a
 * folder.
 */
public final class Bench {

  static final List<Benchmark> ALL =
      List.of(
          new ContainerStartBench(),
          new PodRestartBench(),
          new GroupRestartBench(8),
          new GroupRestartBench(64),
          new StoreBench(),
          new ApiCreateBench(),
          new ServerStartBench(),
          new AgentStartBench(),
          new AgentsRestartBench("sidecar", 10),
          new AgentsRestartBench("sidecar", 50),
          new AgentsRestartBench("process", 10),
          new AgentsRestartBench("process", 50),
          new OutsideBench(),
          new HandshakeBench(),
          new HollowRestartBench(50),
          new HollowRestartBench(500),
          new HollowRestartBench(500, AgentRoads.Kind.OF_THEIR_OWN),
          new HollowRestartBench(2_000),
          new HollowRestartBench(5_000));

  private Bench() {}

  /** What was asked for on the command line. */
  private record Wish(List<Benchmark> benchmarks, Effort effort, Path limits, String json) {}

  public static void main(String[] arguments) throws Exception {
    var wish = wish(arguments);
    if (!LocalCluster.possible()) {
      System.err.println("bench: containers need root here (run it with sudo)");
      System.exit(2);
    }
    var ended = new CountDownLatch(1);
    var main = Thread.currentThread();
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  main.interrupt(); // Ctrl-C: containers and files go as after any other end
                  await(ended);
                },
                "shutdown"));
    int code = 1;
    try {
      code = measure(wish);
    } catch (InterruptedException e) {
      System.err.println("bench: interrupted");
    } finally {
      ended.countDown();
    }
    System.exit(code);
  }

  private static int measure(Wish wish) throws Exception {
    var limits = Limits.read(wish.limits());
    var figures = new ArrayList<Figure>();
    for (Benchmark benchmark : wish.benchmarks()) {
      System.err.println("bench: " + benchmark.name());
      var measured = run(benchmark, wish.effort());
      System.out.println(
          FigureReport.table(measured, limits)); // at once: the next one may take minutes
      figures.addAll(measured);
    }
    if (!wish.json().isEmpty()) {
      Files.write(Path.of(wish.json()), Wire.write(FigureReport.json(figures, limits)));
    }
    var broken = limits.broken(figures);
    broken.forEach(problem -> System.err.println("bench: " + problem));
    return broken.isEmpty() ? 0 : 1;
  }

  private static void await(CountDownLatch latch) {
    try {
      if (!latch.await(30, TimeUnit.SECONDS)) {
        System.err.println("bench: something was left behind");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Runs one in a directory of its own, which is gone afterwards. */
  static List<Figure> run(Benchmark benchmark, Effort effort) throws Exception {
    var ownerOnly =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    Path folder = Files.createTempDirectory("regroup-bench-", ownerOnly);
    try {
      return benchmark.run(folder, effort);
    } finally {
      delete(folder);
    }
  }

  private static Wish wish(String[] arguments) throws IOException, InterruptedException {
    var effort = Effort.FULL;
    var limits = Path.of("tests", "bench", "limits.properties");
    String json = "";
    var chosen = new ArrayList<Benchmark>();
    for (String argument : arguments) {
      if (argument.equals("--quick")) {
        effort = Effort.QUICK;
      } else if (argument.startsWith("--rounds=")) {
        effort = new Effort(Integer.parseInt(argument.substring("--rounds=".length())));
      } else if (argument.startsWith("--json=")) {
        json = argument.substring("--json=".length());
      } else if (argument.startsWith("--limits=")) {
        limits = Path.of(argument.substring("--limits=".length()));
      } else if (argument.startsWith("--beside=")) {
        chosen.addAll(beside(argument.substring("--beside=".length())));
      } else {
        chosen.add(named(argument));
      }
    }
    return new Wish(chosen.isEmpty() ? ALL : chosen, effort, limits, json);
  }

  /** Where there is no Kubernetes, the same clients measure beside the floor. */
  private static List<Benchmark> beside(String programs) throws IOException, InterruptedException {
    if (!programs.equals("kubernetes")) {
      return List.of(new BesideBench(GoPrograms.of(Path.of(programs))));
    }
    var missing = GoPrograms.missing();
    if (missing.isPresent()) {
      System.err.println(
          "bench: no Kubernetes to measure beside, that needs "
              + missing.get()
              + " or a folder with kube-apiserver and etcd: --beside=FOLDER");
      return List.of(new OutsideBench(), new HandshakeBench());
    }
    var cache = Path.of(System.getProperty("user.home"), ".cache", "regroup", "bench");
    var wanted = EnumSet.of(GoPrograms.Module.ETCD, GoPrograms.Module.KUBERNETES);
    return List.of(new BesideBench(GoPrograms.in(cache, wanted)));
  }

  private static Benchmark named(String name) {
    return ALL.stream()
        .filter(benchmark -> benchmark.name().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "no benchmark \"%s\" (there are %s)"
                    .formatted(name, ALL.stream().map(Benchmark::name).toList())));
  }

  private static void delete(Path tree) throws IOException {
    try (var files = Files.walk(tree)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
