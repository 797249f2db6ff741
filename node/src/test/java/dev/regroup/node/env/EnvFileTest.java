package dev.regroup.node.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EnvFileTest {

  private static final String TEXT =
      """
      # what the init container found

        A='one' # and why
      B='two
      lines'
      C='it''
      """;

  @Test
  void a_value_stands_between_quotes_and_may_have_lines() throws Exception {
    assertThat(EnvFile.value(TEXT, "A")).contains("one");
    assertThat(EnvFile.value(TEXT, "B")).contains("two\nlines");
  }

  @Test
  void what_is_not_there_or_empty_is_no_value() throws Exception {
    assertThat(EnvFile.value("A=''\nB= 'x'\n", "A")).isEmpty();
    assertThat(EnvFile.value("A=''\nB= 'x'\n", "B")).isEmpty();
    assertThat(EnvFile.value("A=''\nB= 'x'\n", "C")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"A=one", "A 'x'", "='x'", "A ='x'", "A='x", "A='x' y"})
  void a_file_of_another_form_is_refused(String text) {
    assertThatThrownBy(() -> EnvFile.value(text, "Z")).hasMessage("couldn't parse env file");
  }

  @Test
  void lines_behind_the_wanted_one_are_not_read() throws Exception {
    assertThat(EnvFile.value(TEXT, "A")).contains("one");
    assertThatThrownBy(() -> EnvFile.value(TEXT, "C")).hasMessage("couldn't parse env file");
  }
}
