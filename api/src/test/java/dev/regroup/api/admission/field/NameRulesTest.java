package dev.regroup.api.admission.field;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NameRulesTest {

  private static final String NAME = "(?=.{1,63}$)([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
  private static final String LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
  private static final Pattern KEY =
      Pattern.compile("((?=[^/]{1,253}/)" + LABEL + "(\\." + LABEL + ")*/)?" + NAME);
  private static final Pattern VALUE = Pattern.compile("(" + NAME + ")?");

  @Test
  void keys_and_values_are_accepted_exactly_when_the_patterns_of_kubernetes_say_so() {
    var random = new Random(7);
    int good = 0;
    for (int i = 0; i < 200_000; i++) {
      var text = text(random);
      boolean key = KEY.matcher(text).matches();
      good += key ? 1 : 0;
      assertThat(NameRules.qualified(text).isEmpty()).as("key \"%s\"", text).isEqualTo(key);
      assertThat(NameRules.labelValue(text).isEmpty())
          .as("value \"%s\"", text)
          .isEqualTo(VALUE.matcher(text).matches());
    }
    assertThat(good).isGreaterThan(10_000);
  }

  @ParameterizedTest
  @ValueSource(ints = {62, 63, 64, 252, 253, 254})
  void lengths_are_limited_to_the_letter(int length) {
    var text = "a".repeat(length);

    assertThat(NameRules.qualified(text).isEmpty()).isEqualTo(length <= 63);
    assertThat(NameRules.qualified(text + "/a").isEmpty()).isEqualTo(length <= 253);
  }

  private static String text(Random random) {
    var letters = random.nextInt(3) == 0 ? "aZ0-._/é" : "ab0./-";
    var text = new StringBuilder();
    int length = random.nextInt(9);
    for (int i = 0; i < length; i++) {
      text.append(letters.charAt(random.nextInt(letters.length())));
    }
    return text.toString();
  }
}
