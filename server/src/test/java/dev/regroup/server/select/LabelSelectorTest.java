package dev.regroup.server.select;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LabelSelectorTest {
  private static final Map<String, String> LABELS = Map.of("app", "x", "tier", "2");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "app=x | true",
        "app==x | true",
        "app!=x | false",
        "other!=x | true",
        "app in (x,y) | true",
        "app notin (x) | false",
        "other notin (x) | true",
        "app | true",
        "!app | false",
        "!other,app | true",
        "tier>1 | true",
        "tier<2 | false",
        "app=x,tier=3 | false",
        "app in () | false",
        "in in (a) | false",
        "app= | false"
      })
  void selects_as_kubernetes_does(String selector, boolean expected) throws Exception {
    assertThat(LabelSelector.parse(selector).matches(LABELS)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "app=x, | found '', expected: identifier after ','",
        "a b | unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
        "=x | found '=', expected: !, identifier, or 'end of string'",
        "app in (x | unable to parse requirement: found '', expected: ',' or ')'",
        "app=Bad Value | found 'Value', expected: ',' or 'end of string'"
      })
  void says_what_is_wrong_in_kubernetes_words(String selector, String message) {
    assertThatThrownBy(() -> LabelSelector.parse(selector)).hasMessage(message);
  }

  @Test
  void selects_everything_when_empty() throws Exception {
    assertThat(LabelSelector.parse("").everything()).isTrue();
  }
}
