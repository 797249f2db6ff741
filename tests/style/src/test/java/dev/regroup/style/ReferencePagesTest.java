package dev.regroup.style;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The reference has every word that the program says to its users or hears from them: metrics,
 * events, conditions, annotations, settings, variables. What the sources have is looked up on the
 * page: a new word is told there, or this fails.
 */
class ReferencePagesTest {

  private static final Path ROOT = Path.of("../..");
  private static final String CONDITIONS = "reference/conditions.md";
  private static final String SETTINGS = "reference/settings.md";

  /** By their paths. */
  private static final Map<String, String> SOURCES = new TreeMap<>();

  @BeforeAll
  static void readSources() throws IOException {
    try (var modules = Files.newDirectoryStream(ROOT)) {
      for (Path module : modules) {
        Path sources = module.resolve("src/main/java");
        if (Files.isDirectory(sources)) {
          read(sources);
        }
      }
    }
  }

  private static void read(Path folder) throws IOException {
    try (var files = Files.walk(folder)) {
      for (Path file : files.filter(one -> one.toString().endsWith(".java")).toList()) {
        SOURCES.put(file.toString(), Files.readString(file));
      }
    }
  }

  @Test
  void every_family_of_metrics_is_on_its_page_and_no_other() throws IOException {
    var families = said("", "MetricFamily\\s*\\.\\w+\\(\\s*\"(\\w+)\"|\\bfamily\\(\\s*\"(\\w+)\"");

    assertThat(families).hasSizeGreaterThan(30);
    assertThat(first(page("metrics.md"))).isEqualTo(families);
  }

  @Test
  void every_event_is_on_the_page_of_conditions_and_events() throws IOException {
    var events =
        said(
            "",
            "(?:events|notices)\\s*\\.(?:normal|warning|warn)\\([^;\"]*\"([A-Z]\\w+)\"",
            "PodEvent\\.Type\\.\\w+,\\s*\"([A-Z]\\w+)\"",
            "new \\w+\\.Note\\((?:true|false),\\s*\"([A-Z]\\w+)\"",
            "Note\\.(?:normal|warning)\\(\\s*\"([A-Z]\\w+)\"",
            "tolerate\\(\\w+, \\w+, \"([A-Z]\\w+)\"",
            "refused\\(\\s*\"([A-Z]\\w+)\"");

    assertThat(events).hasSizeGreaterThan(30).contains("BackOff", "FailedMount", "Suspended");
    assertThat(quoted(page(CONDITIONS))).containsAll(events);
  }

  @Test
  void every_condition_and_its_reasons_are_on_their_page() throws IOException {
    String name = "(?m)^ +[A-Z_]+\\(\"([A-Z]\\w+)\"\\)[,;]";
    var words = new TreeSet<String>();
    for (String source :
        List.of(
            "pod/PodCondition",
            "job/JobStatus",
            "jobset/JobSetStatus",
            "group/Sign",
            "group/GroupPlan",
            "rules/RestartReason")) {
      words.addAll(said("/" + source + ".java", name));
    }
    words.removeAll(List.of("True", "False")); // values, no names
    words.addAll(said("", "JobSetStatus\\.Type\\.\\w+,(?: \\w+,)?\\s*\"([A-Z]\\w+)\""));
    words.addAll(said("", "JobStatus\\.Type\\.\\w+, (?:true|false), \"([A-Z]\\w+)\""));
    words.addAll(said("/JobEnding.java", "(?:failure\\(|Ending\\(true,)\\s*\"([A-Z]\\w+)\""));
    words.addAll(said("", "disrupted\\(\\w+, \"([A-Z]\\w+)\""));

    assertThat(words).hasSizeGreaterThan(40).contains("BarrierWaiting", "DeadlineExceeded");
    assertThat(quoted(page(CONDITIONS))).containsAll(words);
  }

  @Test
  void every_annotation_that_users_write_or_read_is_on_the_page_of_settings() throws IOException {
    var keys =
        said(
            "/JobSetKeys.java", "\"(regroup\\.dev/restart[\\w-]*|regroup\\.dev/[pr]\\w+[\\w-]*)\"");

    assertThat(keys).hasSizeGreaterThan(7);
    assertThat(quoted(page(SETTINGS))).containsAll(keys);
  }

  @Test
  void every_key_of_set_is_on_the_page_of_settings() throws IOException {
    var keys = said("/cli/local/Switches.java", "(?m)^ +[A-Z_]+\\(\"([\\w.]+)\", \"");

    assertThat(keys).hasSizeGreaterThan(7);
    assertThat(quoted(page(SETTINGS))).containsAll(keys);
  }

  @Test
  void every_variable_that_the_program_reads_is_on_the_page_of_settings() throws IOException {
    var variables = said("/cli/", "\\.get(?:OrDefault)?\\(\\s*\"([A-Z][A-Z_]{3,})\"");
    for (String script : List.of("bin/regroup", "bin/jdk25")) {
      find("\\$\\{([A-Z_]{5,}):-", Files.readString(ROOT.resolve(script)), variables);
    }

    assertThat(variables).hasSizeGreaterThan(7).contains("KUBECONFIG", "REGROUP_JAVA_HOME");
    assertThat(quoted(page(SETTINGS))).containsAll(variables);
  }

  @Test
  void every_variable_of_a_container_is_on_its_page() throws IOException {
    var variables =
        said("/ContainerDescriber.java", "\\.put(?:IfAbsent)?\\(\\s*\"([A-Z][A-Z_]+)\"");
    variables.addAll(said("/Rendezvous.java", "\"([A-Z]+(?:_[A-Z]+)*)\""));
    variables.addAll(said("/JobPods.java", "VARIABLE = \"([A-Z_]+)\""));

    assertThat(variables).hasSizeGreaterThan(9).contains("RANK", "HOME", "JOBSET_RESTART_DIR");
    assertThat(quoted(page("containers.md"))).containsAll(variables);
  }

  private static String page(String name) throws IOException {
    return Files.readString(ROOT.resolve("docs").resolve(name));
  }

  /** All words between backquotes, also of a list in one pair of them. */
  private static Set<String> quoted(String page) {
    return find("`([^`\\n]+)`", page, new TreeSet<>());
  }

  /** Those of the first column of all tables. */
  private static Set<String> first(String page) {
    String column =
        page.lines()
            .filter(line -> line.startsWith("| `"))
            .map(line -> line.substring(0, line.indexOf('|', 2)))
            .collect(joining("\n"));
    return quoted(column);
  }

  /** What the groups of these patterns find in the sources whose paths have this part. */
  private static Set<String> said(String part, String... patterns) {
    var words = new TreeSet<String>();
    SOURCES.forEach((path, text) -> {
      if (path.contains(part)) {
        for (String pattern : patterns) {
          find(pattern, text, words);
        }
      }
    });
    return words;
  }

  private static Set<String> find(String pattern, String text, Set<String> into) {
    var matcher = Pattern.compile(pattern).matcher(text);
    while (matcher.find()) {
      for (int group = 1; group <= matcher.groupCount(); group++) {
        if (matcher.group(group) != null) {
          into.add(matcher.group(group));
        }
      }
    }
    return into;
  }
}
