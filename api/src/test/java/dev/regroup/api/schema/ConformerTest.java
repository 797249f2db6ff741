package dev.regroup.api.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.regroup.api.Decoding;
import dev.regroup.api.Gates;
import dev.regroup.api.Wire;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConformerTest {

  private static final Schema SCHEMA = Schema.of(Gates.upstream(), Decoding.STRICT);

  @Test
  void a_null_in_a_list_or_a_map_is_the_zero_of_its_type() throws Exception {
    var pod =
        Wire.tree(
            """
            {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{
              "args": [null],
              "resources": {"limits": {"cpu": null}},
              "restartPolicyRules": [{"exitCodes": {"values": [1, null]}}]
            }]}}
            """);

    var read =
        new Decoder(SCHEMA)
            .decode(new Document(pod, List.of()), GroupVersionKind.of("v1", "Pod"))
            .object();

    var container = read.at("/spec/containers/0");
    assertThat(container.path("args")).hasToString("[\"\"]");
    assertThat(container.at("/resources/limits")).hasToString("{\"cpu\":\"0\"}");
    assertThat(container.at("/restartPolicyRules/0/exitCodes/values")).hasToString("[1,0]");
  }
}
