package dev.regroup.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * {@code regroup up} as a process of its own until it says that it is ready, every time over an
 * empty directory. With the jar and its AOT cache when the build left them, else from the class
 * path. The floor is a Java process that does nothing.
 */
final class ServerStartBench implements Benchmark {

  private static final long PATIENCE_SECONDS = 60;

  @Override
  public String name() {
    return "server-start";
  }

  @Override
  public List<Figure> run(Path folder, Effort effort) throws Exception {
    var starts = new ArrayList<Duration>();
    var floors = new ArrayList<Duration>();
    for (int round = 0; round < Math.ceilDiv(effort.rounds(), 10); round++) {
      floors.add(java(List.of("-version"), ""));
      var data = folder.resolve("data-" + round);
      starts.add(up(data, folder.resolve("kubeconfig-" + round)));
      down(data, folder.resolve("kubeconfig-" + round));
    }
    return List.of(
        new Figure(
            "server-start",
            Figure.Unit.MILLIS,
            Samples.ofMillis(starts),
            Samples.ofMillis(floors)));
  }

  private static Duration up(Path data, Path kubeconfig) throws IOException, InterruptedException {
    var arguments = new ArrayList<>(program());
    arguments.addAll(List.of("up", "--port", "0", "--data-dir", data.toString()));
    arguments.addAll(List.of("--kubeconfig", kubeconfig.toString()));
    return java(arguments, "regroup is ready");
  }

  /** Takes away what {@code up} left in this directory and in the network. */
  static void down(Path data, Path kubeconfig) throws IOException, InterruptedException {
    var arguments = new ArrayList<>(program());
    arguments.addAll(List.of("down", "--data-dir", data.toString()));
    arguments.addAll(List.of("--kubeconfig", kubeconfig.toString()));
    java(arguments, "");
  }

  /** This Java. */
  static List<String> java() {
    return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString());
  }

  static List<String> program() throws IOException {
    var dist = Path.of("cli", "target", "dist");
    if (Files.isDirectory(dist)) {
      try (var files = Files.list(dist)) {
        var jar = files.filter(file -> file.toString().endsWith(".jar")).findFirst();
        if (jar.isPresent()) {
          String cache = jar.get().toString().replaceAll("\\.jar$", ".aot");
          return List.of(
              "-XX:+UseCompactObjectHeaders",
              "-XX:AOTCache=" + cache,
              "-Xlog:aot=off",
              "-Xlog:cds=off",
              "-jar",
              jar.get().toString());
        }
      }
    }
    return List.of(
        "--enable-native-access=ALL-UNNAMED", // the jar says so itself, and its cache insists on it
        "-cp",
        System.getProperty("java.class.path"),
        "dev.regroup.cli.Main");
  }

  /** Runs Java until it prints the line, then ends it; without a line, until it ends by itself. */
  private static Duration java(List<String> arguments, String line)
      throws IOException, InterruptedException {
    var command = new ArrayList<>(java());
    command.add("-XX:+UseSerialGC");
    command.addAll(arguments);
    long begin = System.nanoTime();
    var process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    try (var out = process.inputReader(StandardCharsets.UTF_8)) {
      String read = out.readLine();
      while (read != null && (line.isEmpty() || !read.startsWith(line))) {
        read = out.readLine();
      }
      if (!line.isEmpty() && read == null) {
        throw new IOException("ended before it said \"" + line + "\"");
      }
      return Duration.ofNanos(System.nanoTime() - begin);
    } finally {
      process.destroy();
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    }
  }
}
