package dev.regroup.style;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Compares the rule numbers of the specifications with the numbers that tests carry, in all modules
 * at once. Writes {@code target/rules-and-tests.txt} and {@code target/rules-without-a-test.txt}.
 */
class RuleReportTest {

  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final List<String> MODULES =
      List.of("rules", "api", "server", "node", "control", "runtime", "agent", "cli");

  @Test
  void every_rule_has_a_test_with_its_number_or_a_reason_why_not() throws IOException {
    var catalogue = RuleCatalogue.read();
    var cited = CitedRules.under(ROOT);
    var missing = new ArrayList<String>();
    var report = new ArrayList<String>();

    for (var module : MODULES) {
      missing.addAll(untested(catalogue, cited, module));
    }
    missing.forEach(number -> report.add(number + " " + catalogue.states().get(number)));
    catalogue
        .withoutATest()
        .forEach(number -> report.add(number + " " + catalogue.states().get(number)));
    write("rules-without-a-test.txt", report);
    writeTests(cited);
    System.out.printf(
        "%d rules: %d with a test, %d without, %d need none%n",
        catalogue.states().size(),
        catalogue.states().keySet().stream().filter(cited::has).count(),
        missing.size(),
        catalogue.withoutATest().size());

    var notYet = RuleCatalogue.notYet();
    var tested = notYet.stream().filter(cited::has).toList();
    if (!tested.isEmpty()) {
      System.out.println("tested meanwhile, take off rules-not-yet.txt: " + tested);
    }
    missing.removeAll(notYet);
    assertThat(missing).as("rules without a test that carries their number").isEmpty();
  }

  @Test
  void no_test_carries_a_number_that_no_rule_has() throws IOException {
    var catalogue = RuleCatalogue.read();

    var cited = CitedRules.under(ROOT).tests();

    assertThat(cited.keySet())
        .filteredOn(number -> !catalogue.knows(number))
        .allMatch(number -> cited.get(number).stream().allMatch(RuleReportTest::isRecording));
  }

  @Test
  void a_rule_that_tests_carry_has_no_reason_to_be_without_one() throws IOException {
    var cited = CitedRules.under(ROOT);

    assertThat(RuleCatalogue.read().withoutATest())
        .as("rules.txt says that nothing can test them; what does? target/rules-and-tests.txt")
        .noneMatch(cited::has);
  }

  @Test
  void reads_ranges_of_numbers_and_of_letters() {
    var catalogue =
        RuleCatalogue.of(List.of("# words", "DEC-09..11 rules", "JS-28a..28b api", "X-1 - why"));

    assertThat(catalogue.decidedIn("rules")).containsExactly("DEC-09", "DEC-10", "DEC-11");
    assertThat(catalogue.decidedIn("api")).containsExactly("JS-28a", "JS-28b");
    assertThat(catalogue.withoutATest()).containsExactly("X-1");
    assertThatThrownBy(() -> RuleCatalogue.of(List.of("DEC-01 rules", "DEC-01 api")))
        .hasMessage("DEC-01: listed twice");
    assertThatThrownBy(() -> RuleCatalogue.of(List.of("DEC-01 nowhere")))
        .hasMessage("DEC-01 nowhere: no module and no reason");
  }

  @Test
  void counts_numbers_on_a_test_and_not_inside_it() {
    var cited = new CitedRules();
    cited.readTests(
        "SomeTest",
        List.of(
            "/** About RAC-01. */",
            "class SomeTest {",
            "",
            "  @Test",
            "  @Rule({\"RAC-02\", \"RAC-03\"})",
            "  void does_it_js89a_as4_SEQ_10_acc091a() {",
            "    assertThat(1).isEqualTo(1); // RAC-04",
            "  }",
            "",
            "  /** RAC-05. */",
            "  private static void helper_js7() {",
            "  }",
            "}"));

    assertThat(cited.tests().keySet())
        .containsExactlyInAnyOrder(
            "RAC-01", "RAC-02", "RAC-03", "JS-89a", "AS-4", "SEQ-10", "ACC-091a");
  }

  /** Recordings come from outside and may speak of a whole family of numbers. */
  private static boolean isRecording(String test) {
    return test.endsWith(".json");
  }

  private static List<String> untested(RuleCatalogue catalogue, CitedRules cited, String module) {
    return catalogue.decidedIn(module).stream().filter(number -> !cited.has(number)).toList();
  }

  private static void writeTests(CitedRules cited) throws IOException {
    var lines = new ArrayList<String>();
    cited
        .tests()
        .forEach((number, tests) -> lines.add(number + "\n  " + String.join("\n  ", tests)));
    write("rules-and-tests.txt", lines);
  }

  private static void write(String name, List<String> lines) throws IOException {
    Files.createDirectories(Path.of("target"));
    Files.write(Path.of("target", name), lines);
  }
}
