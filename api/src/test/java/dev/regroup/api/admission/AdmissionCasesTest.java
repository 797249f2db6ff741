package dev.regroup.api.admission;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.tree.Trees;
import java.io.IOException;
import java.net.URISyntaxException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The tables of {@code cases/}: each names its rules; {@link AdmissionCase} says how to read it.
 */
class AdmissionCasesTest {

  static List<AdmissionCase> cases() throws IOException, URISyntaxException {
    return AdmissionCase.all();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void is_judged_as_the_table_says(AdmissionCase given) {
    var result = given.run();

    assertThat(result.unreadable() == null ? "" : result.unreadable())
        .isEqualTo(Trees.text(given.node(), "undecodable"));
    assertThat(result.errors()).hasSameSizeAs(Trees.texts(given.node(), "errors"));
    for (int i = 0; i < result.errors().size(); i++) {
      String wanted = Trees.texts(given.node(), "errors").get(i);
      assertThat(printed(result.errors().get(i), wanted)).isEqualTo(wanted);
    }
    if (given.node().has("warnings")) {
      assertThat(result.warnings()).isEqualTo(Trees.texts(given.node(), "warnings"));
    }
    for (String pointer : Trees.keys(given.node(), "gives")) {
      JsonNode wanted = given.node().path("gives").path(pointer);
      JsonNode found = result.object().at(pointer);
      assertThat(found.isMissingNode() ? "null" : found.toString())
          .as(pointer)
          .isEqualTo(wanted.toString());
    }
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void every_refusal_of_a_jobset_is_in_the_table_as34(String rule) throws Exception {
    assertThat(AdmissionCase.all())
        .as("a case with errors")
        .anyMatch(
            one -> one.rules().contains(rule) && !Trees.texts(one.node(), "errors").isEmpty());
  }

  static List<String> refusals() {
    return IntStream.rangeClosed(45, 63).mapToObj(number -> "JS-" + number).toList();
  }

  /** How a whole structure is printed is free (recordings keep {@code <object>} for it). */
  private static String printed(String found, String wanted) {
    return wanted.contains("<object>")
        ? found.replaceFirst("Invalid value: [\\[{].*[]}]: ", "Invalid value: <object>: ")
        : found;
  }
}
