package dev.regroup.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands that README and docs show work, letter for letter, in the order of the index, each
 * once: a shell runs them beside the examples. What cannot be run here stands in {@link
 * #ELSEWHERE}, with the test that does it, so a new command on a page is run or fails. Left out are
 * lines with a placeholder in capitals. That all lines have options that exist says {@code
 * DocumentationTest}.
 */
class DocsIT {

  private static final Path ROOT = Path.of("../..");
  private static final Duration LIMIT = Duration.ofSeconds(180);

  private static final Pattern LINE =
      Pattern.compile("(?m)^ *((?:sudo )?(?:bin/)?(?:regroup|kubectl|jq|source|helm|pip|ctr) .+)$");
  private static final Pattern BLOCK = Pattern.compile("(?ms)^ *```(\\w*)\\n(.*?)^ *```$");
  private static final Pattern PAGE = Pattern.compile("]\\(([^)#]+\\.md)");
  private static final Pattern PLACEHOLDER =
      Pattern.compile("(?<![-\\w])(?:[A-Z]{2,}|[A-Z])\\b|\\.\\.\\.");

  /** Languages of blocks that hold commands. */
  private static final Set<String> SHELL = Set.of("", "sh");

  /**
   * Beginnings of commands that another test runs, and which; or a whole line and why nobody does.
   */
  private static final Map<String, String> ELSEWHERE = elsewhere();

  @TempDir Path folder;

  @BeforeAll
  static void requireTools() throws Exception {
    Root.require();
    Kubectl.require();
  }

  @Test
  void every_command_works_as_it_is_written() throws Exception {
    shims();
    var pages = commands();
    assertThat(pages.values().stream().mapToInt(Set::size).sum()).isGreaterThan(40);

    try (var cluster = Cluster.up(folder)) {
      var kubectl = new Kubectl(cluster.kubeconfig(), folder);
      for (var page : pages.entrySet()) {
        kubectl.run("apply", "-f", ROOT + "/examples/training.yaml"); // most pages speak of it
        for (String line : page.getValue()) {
          work(cluster.kubeconfig(), page.getKey(), line);
        }
      }
    }
  }

  @Test
  void what_is_run_elsewhere_stands_on_a_page_and_its_test_is_there() throws IOException {
    var lines = lines().values().stream().flatMap(Set::stream).collect(Collectors.toSet());
    for (var entry : ELSEWHERE.entrySet()) {
      assertThat(lines).as(entry.getKey()).anyMatch(line -> isFor(bare(line), entry));
      if (entry.getValue().endsWith("IT")) {
        boolean there =
            List.of("e2e", "cluster").stream()
                .map(module -> "tests/" + module + "/src/test/java/dev/regroup/" + module)
                .anyMatch(
                    path -> Files.exists(ROOT.resolve(path + "/" + entry.getValue() + ".java")));
        assertThat(there).as(entry.getValue()).isTrue();
      }
    }
  }

  private void work(Path kubeconfig, String page, String line) throws Exception {
    var environment =
        Map.of(
            "KUBECONFIG",
            kubeconfig.toString(),
            "PATH",
            folder.resolve("shims") + ":" + System.getenv("PATH"));
    var command =
        List.of("bash", "-ec", "cd \"$0\" && " + line, folder.toAbsolutePath().toString());
    try (var run = Program.command(environment, command)) {
      assertThat(run.awaitExit(LIMIT)).as("%s: %s%n%s", page, line, run.output()).isZero();
    }
  }

  /** The folder looks like a clone: {@code bin/regroup} and the examples; sudo is not needed. */
  private void shims() throws IOException {
    String regroup =
        Program.line(List.of()).stream()
            .map(word -> "'" + word + "'")
            .collect(Collectors.joining(" "));
    Path shims = Files.createDirectories(folder.resolve("shims"));
    script(shims.resolve("regroup"), "exec " + regroup + " \"$@\"");
    script(shims.resolve("sudo"), "exec \"$@\"");
    Path bin = Files.createDirectories(folder.resolve("bin"));
    Files.createSymbolicLink(bin.resolve("regroup"), shims.resolve("regroup").toAbsolutePath());
    Files.createSymbolicLink(folder.resolve("examples"), ROOT.resolve("examples").toRealPath());
  }

  private static void script(Path file, String text) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + text + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** By page, those that are run here. */
  private static Map<String, Set<String>> commands() throws Exception {
    var pages = lines();
    boolean jq = hasJq();
    var seen = new LinkedHashSet<String>();
    for (var lines : pages.values()) {
      lines.removeIf(line ->
          PLACEHOLDER.matcher(bare(line)).find()
              || ELSEWHERE.entrySet().stream().anyMatch(entry -> isFor(bare(line), entry))
              || (!jq && line.startsWith("jq "))
              || !seen.add(bare(line)));
    }
    return pages;
  }

  private static boolean hasJq() throws Exception {
    boolean there = new ProcessBuilder("sh", "-c", "command -v jq").start().waitFor() == 0;
    if (!there && System.getenv("CI") != null) {
      fail("jq is not on the path");
    }
    if (!there) {
      System.out.println("SKIPPED: lines with jq (apt-get install jq)");
    }
    return there;
  }

  /** The README and what the index of the documentation names, in its order. */
  private static Set<Path> pages() throws IOException {
    var pages = new LinkedHashSet<>(List.of(ROOT.resolve("README.md")));
    Path docs = ROOT.resolve("docs");
    PAGE.matcher(Files.readString(docs.resolve("README.md")))
        .results()
        .map(link -> docs.resolve(link.group(1)).normalize())
        .forEach(pages::add);
    return pages;
  }

  /** All command lines of all pages. */
  private static Map<String, Set<String>> lines() throws IOException {
    var pages = pages();
    var all = new LinkedHashMap<String, Set<String>>();
    for (Path page : pages) {
      var lines = new LinkedHashSet<String>();
      for (var block : BLOCK.matcher(Files.readString(page)).results().toList()) {
        LINE.matcher(SHELL.contains(block.group(1)) ? block.group(2) : "")
            .results()
            .map(line -> line.group(1).strip())
            .forEach(lines::add);
      }
      all.put(page.toString(), lines);
    }
    return all;
  }

  /** Without remark, sudo and folder. */
  private static String bare(String line) {
    return line.replaceAll(" +# .*", "").replaceFirst("^(sudo )?(bin/)?", "");
  }

  private static boolean isFor(String line, Map.Entry<String, String> elsewhere) {
    return elsewhere.getValue().endsWith("IT")
        ? line.startsWith(elsewhere.getKey())
        : line.equals(elsewhere.getKey());
  }

  private static Map<String, String> elsewhere() {
    var tests = new LinkedHashMap<String, String>();
    tests.put("regroup up", "StopIT");
    tests.put("regroup down", "StopIT");
    tests.put("regroup ui", "UiIT");
    tests.put("regroup run examples/training.yaml", "TrainingIT");
    tests.put("regroup run examples/hang.yaml", "ExamplesIT");
    tests.put("regroup run examples/jax.yaml", "FrameworksIT");
    tests.put("regroup run examples/pytorch-ddp.yaml", "FrameworksIT");
    tests.put("regroup run --chaos", "ChaosIT");
    tests.put("regroup chaos", "ChaosIT");
    tests.put("regroup compare", "CompareIT");
    tests.put("regroup exec -it", "EverydayIT");
    tests.put("regroup image", "AgentImageIT");
    tests.put("regroup install", "InstallIT");
    tests.put("regroup uninstall", "InstallIT");
    tests.put("regroup node", "LostNodesIT");
    String endless = "follows until it is stopped";
    tests.put("regroup get pods -l jobset.sigs.k8s.io/jobset-name=training -w", endless);
    tests.put("kubectl get pods -w", endless);
    tests.put("kubectl get pods -o wide --watch", endless);
    tests.put("regroup watch", "there must be one that runs, and no other");
    tests.put("pip install --target /var/tmp/regroup-packages jax", "needs a network");
    tests.put("ctr -n k8s.io images import agent.tar", "a program of others");
    return tests;
  }
}
