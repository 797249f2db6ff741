package dev.regroup.rules.pod;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.regroup.rules.Rule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Lists which test stands for which rule, and fails when a rule that is decided here has none. */
class RuleReportTest {
  private static final Path REPORT = Path.of("target/rules-and-tests.txt");
  private static final Pattern NUMBER = Pattern.compile("[A-Z]+-\\d+[a-z]?");

  /** Rules of node.md and jobset.md decided in this package; the others belong to other modules. */
  private static final List<String> DECIDED_HERE =
      Stream.of(
              range("DEC", 1, 5),
              range("DEC", 10, 14),
              range("DEC", 20, 27),
              range("DEC", 30, 37),
              List.of("DEC-40", "DEC-41"),
              range("DEC", 45, 57),
              range("BKO", 1, 8),
              List.of("BKO-10"),
              range("SEQ", 1, 9),
              range("SEQ", 20, 23),
              List.of("SEQ-25", "SEQ-30", "SEQ-31"),
              range("TERM", 1, 11),
              range("RAC", 1, 15),
              range("RAC", 17, 24),
              range("RAC", 30, 38),
              List.of("RAC-40", "RAC-42"),
              range("RAC", 50, 52),
              List.of("RAC-54"),
              range("RAC", 60, 77),
              range("CND", 1, 5),
              range("CND", 10, 13),
              List.of("TPC-01"),
              range("TPC", 10, 16),
              range("TPC", 20, 26),
              List.of("TPC-28"),
              range("STS", 1, 8),
              range("STS", 10, 15),
              range("STS", 17, 20),
              range("STS", 30, 33),
              List.of("STS-40", "HOOK-01", "HOOK-02", "PRB-02", "PRB-04", "PRB-05"),
              List.of("GATE-09", "GATE-13", "GATE-14", "GATE-17", "GATE-19", "OBS-10", "OBS-11"),
              List.of("ACT-04", "ACT-05", "ACT-06", "ACT-07", "ACT-10"),
              List.of("COND-02", "COND-03", "COND-04", "JS-165", "JS-165a", "JS-165b"))
          .flatMap(List::stream)
          .toList();

  private static List<String> range(String name, int from, int to) {
    return IntStream.rangeClosed(from, to).mapToObj(n -> "%s-%02d".formatted(name, n)).toList();
  }

  @Test
  void every_rule_decided_here_has_a_test() throws IOException {
    var tests = testsByRule();
    Files.createDirectories(REPORT.getParent());
    Files.writeString(
        REPORT,
        tests.entrySet().stream()
            .map(e -> e.getKey() + "\n  " + String.join("\n  ", e.getValue()))
            .collect(Collectors.joining("\n", "", "\n")));

    assertThat(DECIDED_HERE).isSubsetOf(tests.keySet());
  }

  private static Map<String, TreeSet<String>> testsByRule() {
    var tests = new TreeMap<String, TreeSet<String>>();
    var classes =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.ONLY_INCLUDE_TESTS)
            .importPackages("dev.regroup.rules");
    for (var javaClass : classes) {
      for (var method : javaClass.getMethods()) {
        for (var number : numbers(method)) {
          tests
              .computeIfAbsent(number, _ -> new TreeSet<>())
              .add(javaClass.getSimpleName() + "." + method.getName());
        }
      }
    }
    return tests;
  }

  private static List<String> numbers(JavaMethod method) {
    var rules =
        Stream.concat(
                method.tryGetAnnotationOfType(Rule.class).stream(),
                method.getOwner().tryGetAnnotationOfType(Rule.class).stream())
            .flatMap(rule -> Stream.of(rule.value()));
    var named =
        method.tryGetAnnotationOfType(DisplayName.class).stream()
            .flatMap(name -> NUMBER.matcher(name.value()).results())
            .map(result -> result.group());
    return Stream.concat(rules, named).toList();
  }
}
