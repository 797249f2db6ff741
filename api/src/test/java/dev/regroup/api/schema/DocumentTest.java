package dev.regroup.api.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class DocumentTest {

  @Test
  void half_a_surrogate_pair_is_read_as_the_replacement_character() throws Exception {
    var tree = Document.parse("{\"a\": \"x\\ud800y\", \"b\": \"\\udc00\"}".getBytes(UTF_8)).tree();

    assertThat(tree.path("a").asText()).isEqualTo("x\ufffdy");
    assertThat(tree.path("b").asText()).isEqualTo("\ufffd");
  }

  @Test
  void problems_are_told_in_the_order_of_the_text() throws Exception {
    var document =
        Document.parse("{\"a\":{\"x\":1,\"x\":2,\"y\":3},\"b\":1,\"a\":{}}".getBytes(UTF_8));

    assertThat(document.inOrder(List.of("unknown field \"a.y\"", "unknown field \"b\"")))
        .containsExactly(
            "duplicate field \"a.x\"",
            "unknown field \"a.y\"",
            "unknown field \"b\"",
            "duplicate field \"a\"");
  }

  @Test
  void a_whole_pair_stays() throws Exception {
    var tree = Document.parse("{\"a\": \"\\ud83d\\ude00\", \"😀\": \"😀\"}".getBytes(UTF_8)).tree();

    assertThat(tree.path("a").asText()).isEqualTo("😀");
    assertThat(tree.path("😀").asText()).isEqualTo("😀");
  }
}
