package dev.regroup.api.yaml;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class YamlDocumentsTest {

  @Test
  void reads_every_document_and_leaves_out_empty_ones() throws YamlFailure {
    var documents = YamlDocuments.read("a: 1\n---\n# nothing\n---\nb: [2, x]\n".getBytes(UTF_8));

    assertThat(documents)
        .extracting(document -> document.root().toString())
        .containsExactly("{\"a\":1}", "{\"b\":[2,\"x\"]}");
  }

  @ParameterizedTest
  @CsvSource({
    "0644, 420",
    "0x1f, 31",
    "yes, true",
    "off, false",
    "~, null",
    "1.50, 1.50",
    "-7, -7",
    "99999999999999999999, 99999999999999999999",
    "1.2.3, \"1.2.3\"",
    "'\"5\"', \"5\"",
    "2026-01-01T00:00:00Z, \"2026-01-01T00:00:00Z\""
  })
  void reads_plain_words_as_kubectl_does(String word, String json) throws YamlFailure {
    var document = YamlDocuments.read(("v: " + word).getBytes(UTF_8)).getFirst();

    assertThat(document.root().get("v")).hasToString(json);
  }

  @Test
  void knows_where_a_field_stands_and_falls_back_to_its_parent() throws YamlFailure {
    var document = YamlDocuments.read("spec:\n  list:\n  - a: 1\n".getBytes(UTF_8)).getFirst();

    assertThat(document.place("/spec/list/0/a")).isEqualTo(new Position(3, 5));
    assertThat(document.place("/spec/list/0/missing")).isEqualTo(new Position(3, 5));
    assertThat(document.place("/other")).isEqualTo(new Position(1, 1));
  }

  @Test
  void merges_maps_with_own_keys_winning() throws YamlFailure {
    var text = "base: &b {x: 1, y: 2}\nmine:\n  <<: *b\n  y: 3\n";

    assertThat(YamlDocuments.read(text.getBytes(UTF_8)).getFirst().root().get("mine"))
        .hasToString("{\"x\":1,\"y\":3}");
  }

  @Test
  void names_line_and_column_of_a_duplicate_key() {
    assertThatThrownBy(() -> YamlDocuments.read("a: 1\nb: 2\na: 3\n".getBytes(UTF_8)))
        .isInstanceOfSatisfying(
            YamlFailure.class,
            failure -> {
              assertThat(failure.position()).isEqualTo(new Position(3, 1));
              assertThat(failure.problem()).contains("\"a\"").contains("1:1");
            });
  }

  @Test
  void refuses_a_tower_of_lists_a_bomb_of_anchors_tabs_and_other_encodings_quickly() {
    assertThat(Duration.ofSeconds(10))
        .isGreaterThan(
            time(() -> {
              assertProblem("[".repeat(10_000_000), "nested more than");
              var bomb = new StringBuilder("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
              for (int i = 1; i < 10; i++) {
                bomb.append("a%d: &a%d [%s]\n".formatted(i, i, ("*a" + (i - 1) + ",").repeat(10)));
              }
              assertProblem(bomb.toString(), "aliases stand for more than");
              assertProblem("a:\n\t- b\n", "not YAML");
              assertProblem("a: [1, 2\nb: 3", "not YAML");
            }));
    assertThatThrownBy(() -> YamlDocuments.read(new byte[] {'a', '\n', (byte) 0xff}))
        .hasMessageContaining("not UTF-8")
        .isInstanceOfSatisfying(
            YamlFailure.class, failure -> assertThat(failure.position().line()).isEqualTo(2));
  }

  private static void assertProblem(String text, String problem) {
    assertThatThrownBy(() -> YamlDocuments.read(text.getBytes(UTF_8)))
        .isInstanceOf(YamlFailure.class)
        .hasMessageContaining(problem);
  }

  /** The time this thread computed, whatever else the machine does. */
  private static Duration time(Runnable work) {
    var threads = ManagementFactory.getThreadMXBean();
    long begun = threads.getCurrentThreadCpuTime();
    work.run();
    return Duration.ofNanos(threads.getCurrentThreadCpuTime() - begun);
  }
}
