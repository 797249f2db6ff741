package dev.regroup.api.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Texts as Go's encoding/json words them. */
class JsonSyntaxTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          {"a":1} x       | invalid character 'x' after top-level value
          {"a":1}{        | invalid character '{' after top-level value
          {'a':1}         | invalid character '\\'' looking for beginning of object key string
          {"a" 1}         | invalid character '1' after object key
          {"a":1 /* x */} | invalid character '/' after object key:value pair
          {"a":}          | invalid character '}' looking for beginning of value
          {"a":1,}        | invalid character '}' looking for beginning of object key string
          [1 2]           | invalid character '2' after array element
          [1,]            | invalid character ']' looking for beginning of value
          nul}            | invalid character '}' in literal null (expecting 'l')
          -x              | invalid character 'x' in numeric literal
          01              | invalid character '1' after top-level value
          1.x             | invalid character 'x' after decimal point in numeric literal
          1ex             | invalid character 'x' in exponent of numeric literal
          "a\\q"           | invalid character 'q' in string escape code
          "a\\u00g0"       | invalid character 'g' in \\u hexadecimal character escape
          {"a":           | unexpected end of JSON input
          """)
  void names_the_first_character_that_is_wrong(String json, String problem) {
    assertThat(JsonSyntax.problem(json.getBytes(UTF_8))).isEqualTo(problem);
  }

  @Test
  void finds_something_wrong_exactly_where_a_parser_does() throws IOException {
    var parser = new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    long seed = Long.getLong("regroup.seed", 7);
    var random = new Random(seed);
    var pieces =
        new String[] {"{", "}", "[", "]", ",", ":", "\"a\"", "1", "-2.5e3", "true", "null", " "};

    for (int i = 0; i < 20_000; i++) {
      var text = new StringBuilder();
      for (int n = 1 + random.nextInt(9); n > 0; n--) {
        text.append(pieces[random.nextInt(pieces.length)]);
      }
      byte[] json = text.toString().getBytes(UTF_8);
      boolean readable = isReadable(parser, json);

      assertThat(JsonSyntax.problem(json) == null)
          .as("seed %d: %s", seed, text)
          .isEqualTo(readable);
    }
  }

  private static boolean isReadable(ObjectMapper parser, byte[] json) {
    try {
      return !parser.readTree(json).isMissingNode();
    } catch (IOException e) {
      return false;
    }
  }
}
