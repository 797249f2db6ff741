package dev.regroup.api.tree;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.regroup.api.Wire;
import java.time.Instant;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Absent, null and a missing parent are the same, and so is a value of another type. */
class TreesTest {

  private static JsonNode tree(String value) {
    return Wire.tree("{\"a\":{\"b\":" + value + "}}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "[[]]", "{\"c\":{}}", "1.5"})
  void what_is_of_another_type_is_absent(String value) {
    var tree = tree(value);

    assertThat(Trees.text(tree, "a", "b")).isEmpty();
    assertThat(Trees.textIfPresent(tree, "a", "b")).isEmpty();
    assertThat(Trees.number(tree, "a", "b")).isEmpty();
    assertThat(Trees.integer(tree, "a", "b")).isEmpty();
    assertThat(Trees.isTrue(tree, "a", "b")).isFalse();
    assertThat(Trees.time(tree, "a", "b")).isNull();
    assertThat(Trees.objects(tree, "a", "b")).isEmpty();
    assertThat(Trees.object(tree, "a", "b", "d")).isEmpty();
    assertThat(Trees.text(tree, "x", "b")).isEmpty();
    assertThat(Trees.has(tree, "a", "b", "c", "d")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "-1, -1",
    "2147483647, 2147483647",
    "2147483648, ",
    "9223372036854775807, ",
    "1e3, ",
    "'\"7\"', ",
    "true, "
  })
  void an_integer_has_32_bits(String value, Integer number) {
    assertThat(Trees.integer(tree(value), "a", "b"))
        .isEqualTo(number == null ? OptionalInt.empty() : OptionalInt.of(number));
  }

  @ParameterizedTest
  @CsvSource({
    "2026-01-02T03:04:05Z, 2026-01-02T03:04:05Z",
    "2026-01-02T03:04:05.123456Z, 2026-01-02T03:04:05.123456Z",
    "2026-01-02T04:04:05+01:00, 2026-01-02T03:04:05Z",
    "yesterday, ",
    "'', ",
    "-0001-01-02T03:04:05Z, ",
    "+10000-01-02T03:04:05Z, "
  })
  void a_time_is_one_that_the_wire_can_carry(String text, Instant time) {
    assertThat(Trees.time(tree("\"" + text + "\""), "a", "b")).isEqualTo(time);
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "12, 12", "-1, ", "'', ", "x, ", "1.5, ", "2147483648, ", "99999999999, "})
  void a_decimal_is_a_number_without_sign(String text, Integer number) {
    assertThat(Trees.decimal(text))
        .isEqualTo(number == null ? OptionalInt.empty() : OptionalInt.of(number));
    assertThat(Trees.decimal(null)).isEmpty();
  }

  @Test
  void lists_and_maps_keep_their_places_and_order() {
    assertThat(Trees.integers(tree("[3,null,\"4\",5]"), "a", "b")).containsExactly(3, 0, 0, 5);
    assertThat(Trees.texts(tree("[\"x\",null,\"y\"]"), "a", "b")).containsExactly("x", "", "y");
    assertThat(Trees.map(tree("{\"z\":\"1\",\"y\":2,\"x\":null}"), "a", "b").toString())
        .isEqualTo("{z=1, y=2, x=}");
    assertThat(Trees.map(tree("7"), "a", "b")).isEmpty();
    assertThat(Trees.integers(tree("{\"c\":1}"), "a", "b")).isEmpty();
  }
}
