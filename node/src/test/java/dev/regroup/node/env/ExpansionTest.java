package dev.regroup.node.env;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExpansionTest {

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "$(POD),p",
        "a$(POD)b$(X)c,apb1c",
        "$(UNDEFINED),$(UNDEFINED)",
        "$$(POD),$(POD)",
        "$$$(POD),$p",
        "$,$",
        "$x,$x",
        "$(POD,$(POD",
        "plain,plain",
        "100$$,100$",
      })
  void replaces_known_references_and_leaves_everything_else(String text, String expected) {
    assertThat(Expansion.expand(text, Map.of("POD", "p", "X", "1"))).isEqualTo(expected);
  }
}
