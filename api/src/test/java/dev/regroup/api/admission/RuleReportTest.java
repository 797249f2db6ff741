package dev.regroup.api.admission;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import dev.regroup.api.conformance.RecordingsTest;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Lists which test stands for which rule, and fails when a rule that is decided here has none. A
 * number is carried by a test's name ({@code val_28_…}), by a row of the case tables, or by the
 * title of a recording.
 */
class RuleReportTest {

  private static final Path REPORT = Path.of("target/rules-and-tests.txt");
  private static final Pattern NUMBER = Pattern.compile("\\b[A-Z]+-\\d+[a-z]?\\b");
  private static final Pattern IN_A_NAME =
      Pattern.compile("(?:^|_)(val|act|cond|gate|imm|tpc|api|jb|js)_(\\d+[a-z]?)(?=_)");

  /** Rules of the three specifications that admission decides without a runtime. */
  private static final List<String> DECIDED_HERE =
      Stream.of(
              range("API-%02d", 1, 12),
              List.of("API-20", "API-21"),
              range("ACT-%02d", 1, 7),
              range("ACT-%02d", 10, 13),
              range("COND-%02d", 1, 5),
              range("VAL-%02d", 1, 28),
              range("VAL-%02d", 30, 32),
              range("IMM-%02d", 1, 4),
              range("GATE-%02d", 1, 12),
              List.of("GATE-16", "GATE-17", "TPC-27"),
              range("JB-%d", 1, 16),
              range("JB-%d", 20, 25),
              range("JS-%d", 3, 27),
              List.of("JS-28h", "JS-28i", "JS-42a", "JS-42b", "JS-57a"),
              range("JS-%d", 42, 69),
              List.of("JS-131", "JS-132b", "JS-138", "JS-154", "JS-166", "JS-170", "JS-170a"))
          .flatMap(List::stream)
          .toList();

  private static List<String> range(String pattern, int from, int to) {
    return IntStream.rangeClosed(from, to).mapToObj(pattern::formatted).toList();
  }

  @Test
  void every_rule_decided_here_has_a_test() throws IOException, URISyntaxException {
    var tests = new TreeMap<String, TreeSet<String>>();
    names(tests);
    tables(tests);
    recordings(tests);
    Files.createDirectories(REPORT.getParent());
    Files.writeString(
        REPORT,
        tests.entrySet().stream()
            .map(e -> e.getKey() + "\n  " + String.join("\n  ", e.getValue()))
            .collect(Collectors.joining("\n", "", "\n")));

    assertThat(DECIDED_HERE).isSubsetOf(tests.keySet());
  }

  private static void names(Map<String, TreeSet<String>> tests)
      throws IOException, URISyntaxException {
    var root = Path.of(requireNonNull(RuleReportTest.class.getResource("/dev/regroup")).toURI());
    List<Path> files;
    try (var walk = Files.walk(root.resolve("api"))) {
      files = walk.filter(file -> file.toString().endsWith("Test.class")).sorted().toList();
    }
    for (Path file : files) {
      String name = "dev.regroup." + root.relativize(file).toString().replace('/', '.');
      for (var method : testClass(name.replaceFirst("\\.class$", "")).getDeclaredMethods()) {
        IN_A_NAME
            .matcher(method.getName())
            .results()
            .map(found -> found.group(1).toUpperCase(Locale.ROOT) + "-" + found.group(2))
            .forEach(rule -> add(tests, rule, file.getFileName() + ": " + method.getName()));
      }
    }
  }

  private static Class<?> testClass(String name) {
    try {
      return Class.forName(name, false, RuleReportTest.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void tables(Map<String, TreeSet<String>> tests)
      throws IOException, URISyntaxException {
    for (AdmissionCase row : AdmissionCase.all()) {
      row.rules()
          .forEach(rule -> add(tests, rule, row.file() + ": " + Trees.text(row.node(), "it")));
    }
  }

  private static void recordings(Map<String, TreeSet<String>> tests)
      throws IOException, URISyntaxException {
    for (Path recording : RecordingsTest.recordings().toList()) {
      var scenario = Wire.tree(Files.readAllBytes(recording));
      String name = scenario.path("name").asText();
      mentioned(scenario.path("about").asText(), name, tests);
      scenario
          .path("steps")
          .forEach(step ->
              mentioned(
                  step.path("title").asText(), name + ": " + step.path("title").asText(), tests));
    }
  }

  private static void mentioned(String text, String where, Map<String, TreeSet<String>> tests) {
    NUMBER.matcher(text).results().forEach(found -> add(tests, found.group(), where));
  }

  private static void add(Map<String, TreeSet<String>> tests, String rule, String where) {
    tests.computeIfAbsent(rule, _ -> new TreeSet<>()).add(where);
  }
}
