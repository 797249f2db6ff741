package dev.regroup.e2e;

import static dev.regroup.e2e.Workers.LIMIT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The real kubectl, for one cluster.
 *
 * @param home where it keeps what it has learned; the test's own
 */
record Kubectl(Path kubeconfig, Path home) {

  private static final Pattern VERSION = Pattern.compile("v1\\.(\\d+)\\.");
  private static final int OLDEST = 30;

  /** Without one the test is skipped, but not where all tests must run. */
  static void require() throws Exception {
    String missing = "kubectl 1.%d or newer is not on the path".formatted(OLDEST);
    try {
      var process = new ProcessBuilder("kubectl", "version", "--client", "-o", "json").start();
      var version = VERSION.matcher(new String(process.getInputStream().readAllBytes(), UTF_8));
      process.waitFor();
      if (version.find() && Integer.parseInt(version.group(1)) >= OLDEST) {
        return;
      }
    } catch (IOException e) {
      missing += " (" + e.getMessage() + ")";
    }
    if (System.getenv("CI") != null) {
      fail(missing);
    }
    System.out.println("SKIPPED: " + missing);
    abort(missing);
  }

  /** Runs it to its end, which must be a good one, and returns what it printed. */
  String run(String... arguments) throws Exception {
    try (var run = start(arguments)) {
      assertThat(run.awaitExit(LIMIT)).as("%s%n%s", List.of(arguments), run.output()).isZero();
      return run.output() + "\n";
    }
  }

  /** One that runs on while the test reads along. */
  Program start(String... arguments) throws IOException {
    var command = new ArrayList<>(command());
    command.addAll(List.of(arguments));
    return Program.command(environment(), command);
  }

  /** The same at a terminal of its own; what the test says is typed. */
  Program type(String... arguments) throws IOException {
    return Program.command(environment(), List.of("script", "-qec", line(arguments), "/dev/null"));
  }

  /** A line for a shell in which {@code KUBECTL} stands for it. */
  Program shell(String line) throws IOException {
    return Program.command(environment(), List.of("sh", "-c", line.replace("KUBECTL", line())));
  }

  private String line(String... arguments) {
    return Stream.concat(command().stream(), Stream.of(arguments))
        .map(word -> "'" + word.replace("'", "'\\''") + "'")
        .collect(Collectors.joining(" "));
  }

  private List<String> command() {
    return List.of("kubectl", "--kubeconfig", kubeconfig.toString());
  }

  private Map<String, String> environment() {
    return Map.of("HOME", home.toString());
  }
}
