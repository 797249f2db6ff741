package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.server.https.Pki;
import dev.regroup.testing.MadeOnce;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A cluster that {@code regroup up} runs as a process of its own over one data directory. It can be
 * killed and started again; closing it takes it down and checks that nothing stays behind.
 */
public final class Cluster implements AutoCloseable {

  private static final Duration START = Duration.ofSeconds(120);

  /** A first start makes them; most tests are not about that. */
  private static final MadeOnce CERTIFICATES =
      new MadeOnce(directory -> Pki.open(directory, InstantSource.system()));

  private final Path directory;
  private List<String> options;
  private final Map<String, String> environment;
  private final Optional<Path> launcher;
  private final Machine before;
  private Program program;
  private Kube kube;

  private Cluster(
      Path folder, List<String> options, Map<String, String> environment, Optional<Path> launcher)
      throws Exception {
    this.directory = folder.resolve("data");
    this.options = List.copyOf(options);
    this.environment = Map.copyOf(environment);
    this.launcher = launcher;
    this.before = Machine.now(directory.toString());
    if (launcher.isEmpty()) {
      certified(directory);
    }
    start(environment);
  }

  /** Puts certificates into a server's directory: to make them takes longer than most tests. */
  static Path certified(Path directory) throws IOException {
    CERTIFICATES.at(directory.resolve("pki"));
    return directory;
  }

  /** Starts one below this folder, which only this cluster uses. */
  public static Cluster up(Path folder, String... options) throws Exception {
    return new Cluster(folder, List.of(options), Map.of(), Optional.empty());
  }

  /** The same, with these variables in the environment of every start. */
  static Cluster up(Path folder, Map<String, String> environment, String... options)
      throws Exception {
    return new Cluster(folder, List.of(options), environment, Optional.empty());
  }

  /** The same, by a {@code bin/regroup}. */
  static Cluster launched(Path folder, Path launcher, Map<String, String> environment)
      throws Exception {
    return new Cluster(folder, List.of(), environment, Optional.of(launcher));
  }

  public Kube kube() {
    return kube;
  }

  Program program() {
    return program;
  }

  Path data() {
    return directory;
  }

  public Path kubeconfig() {
    return directory.resolveSibling("kubeconfig");
  }

  /** Starts the program over the same directory after it was killed. */
  void start() throws Exception {
    start(environment);
  }

  /** The same with other options, from now on. */
  void startWith(String... others) throws Exception {
    options = List.of(others);
    start(environment);
  }

  /** The same in another environment. */
  void start(Map<String, String> variables) throws Exception {
    var arguments =
        new ArrayList<>(
            List.of(
                "up",
                "--data-dir",
                directory.toString(),
                "--port",
                "0",
                "--kubeconfig",
                kubeconfig().toString()));
    arguments.addAll(options);
    if (launcher.isPresent()) {
      arguments.addFirst(launcher.get().toString());
      program = Program.command(variables, arguments);
    } else {
      program = Program.start(variables, arguments);
    }
    try {
      program.awaitLine(line -> line.startsWith("regroup is ready"), START);
    } catch (AssertionError e) {
      program.close();
      throw e;
    }
    kube = Kube.of(kubeconfig());
  }

  /** Ends the program as {@code kill -9} does; its containers run on. */
  void kill() throws InterruptedException {
    program.kill();
  }

  @Override
  public void close() throws InterruptedException, IOException {
    var made = Machine.madeBy(directory);
    program.close();
    try (var down =
        Program.start(
            Map.of(),
            List.of(
                "down",
                "--data-dir",
                directory.toString(),
                "--kubeconfig",
                kubeconfig().toString()))) {
      assertThat(down.awaitExit(START)).as(down.output()).isZero();
    }
    assertThat(Files.readString(kubeconfig())).as("the context is out").doesNotContain("regroup");
    before.assertNothingIsLeft(directory.toString(), made);
  }
}
