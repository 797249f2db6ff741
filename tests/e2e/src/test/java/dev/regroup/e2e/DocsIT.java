package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands that README and docs show work on a cluster, each once, in the order of the pages.
 * Left out are those with a placeholder, and those that other tests are about: {@code run}, {@code
 * up}, what stays in the foreground, changes a foreign cluster or installs something. That these
 * are written right says {@code DocumentationTest}.
 */
class DocsIT {

  private static final Path ROOT = Path.of("../..");
  private static final Duration LIMIT = Duration.ofSeconds(180);

  private static final Pattern LINE =
      Pattern.compile("(?m)^\\s*(?:sudo )?(?:bin/)?(regroup|kubectl) (\\S.*)$");
  private static final Pattern BLOCK = Pattern.compile("(?ms)^ *```(\\w*)\\n(.*?)^ *```$");
  private static final Pattern PLACEHOLDER = Pattern.compile("\\b[A-Z]{2,}\\b|\\.\\.\\.");

  /** Languages of blocks that hold commands. */
  private static final Set<String> SHELL = Set.of("", "sh");

  /** Of regroup. */
  private static final Set<String> QUICK =
      Set.of("explain", "check", "convert", "gates", "doctor", "status", "timeline");

  /** Of kubectl. */
  private static final Set<String> SHORT = Set.of("apply", "get", "wait", "api-resources");

  @TempDir Path folder;

  @BeforeAll
  static void requireTools() throws Exception {
    Root.require();
    Kubectl.require();
  }

  @Test
  void every_command_that_can_be_tried_works() throws Exception {
    var commands = commands();
    assertThat(commands).hasSizeGreaterThan(20);

    try (var cluster = Cluster.up(folder)) {
      var kubectl = new Kubectl(cluster.kubeconfig(), folder);
      kubectl.run("apply", "-f", ROOT + "/examples/training.yaml"); // most pages speak of it
      for (var command : commands) {
        if (command.getFirst().equals("kubectl")) {
          kubectl.run(command.stream().skip(1).toArray(String[]::new));
        } else {
          work(cluster.kubeconfig(), command.subList(1, command.size()));
        }
      }
    }
  }

  private static void work(Path kubeconfig, List<String> arguments) throws Exception {
    try (var run = Program.start(Map.of("KUBECONFIG", kubeconfig.toString()), arguments)) {
      assertThat(run.awaitExit(LIMIT)).as("%s%n%s", arguments, run.output()).isZero();
    }
  }

  private static Set<List<String>> commands() throws IOException {
    var pages = new ArrayList<>(List.of(ROOT.resolve("README.md")));
    try (var files = Files.walk(ROOT.resolve("docs"))) {
      files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
    }
    var commands = new LinkedHashSet<List<String>>();
    for (Path page : pages) {
      for (var block : BLOCK.matcher(Files.readString(page)).results().toList()) {
        LINE.matcher(SHELL.contains(block.group(1)) ? block.group(2) : "")
            .results()
            .map(line -> line.group(1) + " " + line.group(2).replaceAll(" +[#<>|].*", "").strip())
            .filter(DocsIT::canBeTried)
            .map(line -> line.replace(" examples/", " " + ROOT + "/examples/"))
            .map(line -> Arrays.asList(line.split(" +", -1)))
            .forEach(commands::add);
      }
    }
    return commands;
  }

  private static boolean canBeTried(String line) {
    var words = Arrays.asList(line.split(" +", -1));
    if (PLACEHOLDER.matcher(line).find() || words.contains("-w") || words.contains("--watch")) {
      return false;
    }
    String name = words.get(1);
    return line.startsWith("kubectl")
        ? SHORT.contains(name) && !line.contains("--kubeconfig")
        : (QUICK.contains(name) && !words.contains("out")) || line.contains("--dry-run");
  }
}
