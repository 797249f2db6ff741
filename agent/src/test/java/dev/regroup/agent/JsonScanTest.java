package dev.regroup.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonScanTest {

  @Test
  void objects_become_maps() throws Exception {
    assertThat(
            scan(
                " {\"a\": {\"b\": [1, -2, true, false, null, 1.5, \"x\"]}, \"c\": {}, \"d\": []} "))
        .isEqualTo(
            Map.of(
                "a",
                Map.of("b", java.util.Arrays.asList(1L, -2L, true, false, null, null, "x")),
                "c",
                Map.of(),
                "d",
                List.of()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"plain", "q\"uote", "back\\slash", "\u00e9\u4e2d", "tab\tline\n", "a\"\"b", "\\"})
  void strings_are_read_as_they_were_meant(String text) throws Exception {
    String quoted =
        text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\t", "\\t").replace("\n", "\\n");

    assertThat(scan("{\"a\":\"" + quoted + "\"}")).isEqualTo(Map.of("a", text));
  }

  @Test
  void escaped_units_make_one_character() throws Exception {
    assertThat(scan("{\"a\":\"\\ud83d\\ude00!\"}")).isEqualTo(Map.of("a", "\ud83d\ude00!"));
  }

  @Test
  void skipped_fields_leave_no_trace_whatever_they_hold() throws Exception {
    String large = "{\"x\":[{\"y\":\"}]\\\"\\\\\"}, 1.5e3, null]}";

    assertThat(scan("{\"skip\":" + large + ",\"b\":{\"skip\":\"s\",\"c\":1},\"skip\":2}"))
        .isEqualTo(Map.of("b", Map.of("c", 1L)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{",
        "{\"a\"",
        "{\"a\":",
        "{\"a\":1",
        "{\"a\":\"x",
        "{\"a\":\"\\",
        "{\"a\":\"\\u12\"}",
        "{a:1}",
        "{\"a\":}",
        "{\"skip\":{",
        "{\"skip\":\"x\\"
      })
  void what_is_cut_off_or_no_json_is_an_error_and_no_loop(String text) {
    assertThatThrownBy(() -> scan(text)).isInstanceOf(IOException.class);
  }

  @Test
  void depth_has_an_end() {
    String deep = "{\"a\":" + "[".repeat(100_000);

    assertThatThrownBy(() -> scan(deep)).isInstanceOf(IOException.class);
  }

  private static Map<String, Object> scan(String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return JsonScan.object(bytes, bytes.length, Set.of("skip"));
  }
}
