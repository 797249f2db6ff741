package dev.regroup.server.patch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Wire;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonDifferenceTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {}                      | {"a":1}
          {"a":1,"b":2}           | {"b":3}
          {"a":{"b":{"c":1}}}     | {"a":{"b":{"c":2,"d":[]}}}
          {"l":[1,2,3]}           | {"l":[1]}
          {"l":[1]}               | {"l":[0,2,{"x":null}]}
          {"l":[]}                | {"l":{}}
          {"a/b":1,"c~d":2}       | {"a/b":2,"c~d":{"e/f~g":3}}
          {"a":null}              | {"a":"null"}
          {"a":1}                 | {"a":1}
          """)
  void leads_from_the_one_to_the_other(String before, String after) throws Exception {
    var from = Wire.tree(before);
    var to = Wire.tree(after);

    assertThat(JsonPatch.apply(from, JsonDifference.between(from, to))).isEqualTo(to);
  }

  @Test
  void changes_only_what_differs() {
    var operations =
        JsonDifference.between(
            Wire.tree("{\"spec\":{\"a\":1,\"list\":[{\"x\":1},{\"y\":2}]}}"),
            Wire.tree("{\"spec\":{\"a\":1,\"list\":[{\"x\":1},{\"y\":3}]}}"));

    assertThat(operations.toString())
        .isEqualTo("[{\"op\":\"replace\",\"path\":\"/spec/list/1/y\",\"value\":3}]");
  }
}
